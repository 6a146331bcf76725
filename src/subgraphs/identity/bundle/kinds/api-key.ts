import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { changedOf, type DocumentNames, type Kind } from '../kind.ts';
import {
  changedLimits,
  givenLimits,
  oneUsageLimit,
  rateDocuments,
  rateLimits,
  rateSelection,
  usageDocumentOrNone,
  usageSelection,
} from './limits.ts';
import {
  moment,
  nameText,
  slugText,
  textUpTo,
  workspaceName,
  workspaceReferences,
  workspaceSelection,
} from './parts.ts';

type Defaults = { metadata?: Record<string, string>; config_id?: string; allow_config_override?: boolean };

const rotationPolicy = z.strictObject({
  rotationPeriod: z.enum(['weekly', 'monthly']).optional(),
  rotationPeriodDays: z.int().min(1).max(365).optional(),
  keyTransitionPeriodMs: z.int().min(1_800_000).max(1_209_600_000),
});

/** A policy of a date alone is over with that date, and is no state that a document could keep. */
function policyOf(stored: unknown): JsonObject | null {
  const { rotationPeriod, rotationPeriodDays, keyTransitionPeriodMs } = (stored ?? {}) as JsonObject;
  if (!rotationPeriod && !rotationPeriodDays) return null;
  return {
    ...(rotationPeriod ? { rotationPeriod } : { rotationPeriodDays }),
    keyTransitionPeriodMs,
  };
}

const defaultsOf = ({ metadata, config, allowConfigOverride }: JsonObject): Defaults | null => {
  const defaults: Defaults = {
    ...(Object.keys(metadata as object).length > 0 && { metadata: metadata as Defaults['metadata'] }),
    ...(config !== null && { config_id: String(config) }),
    ...(allowConfigOverride === false && { allow_config_override: false }),
  };
  return Object.keys(defaults).length > 0 ? defaults : null;
};

const members = ['name', 'description', 'scopes', 'expiresAt', 'alertEmails', 'rotationPolicy'];
const inDefaults = ['metadata', 'config', 'allowConfigOverride'];

const read = (node: JsonObject, names: DocumentNames) => {
  const defaults = (node.defaults ?? {}) as Defaults;
  return {
    slug: null,
    spec: {
      workspace: workspaceName(node.workspace),
      name: node.name,
      description: node.description,
      scopes: [...(node.scopes as string[])].sort(),
      metadata: defaults.metadata ?? {},
      config: defaults.config_id === undefined ? null : names.config(defaults.config_id),
      allowConfigOverride: defaults.allow_config_override ?? true,
      expiresAt: node.expiresAt,
      alertEmails: node.alertEmails,
      rotationPolicy: policyOf(node.rotationPolicy),
      usageLimits: usageDocumentOrNone(node.usageLimits),
      rateLimits: rateDocuments(node.rateLimits),
    },
  };
};

export const apiKey: Kind = {
  name: 'ApiKey',
  spec: z.strictObject({
    workspace: slugText.nullable().default(null),
    name: nameText,
    description: textUpTo(1000),
    scopes: z
      .array(z.string().min(1).max(128))
      .min(1)
      .max(200)
      .transform((scopes) => [...new Set(scopes)].sort()),
    metadata: z.record(z.string().max(255), z.string().max(1024)).default({}),
    config: z.string().min(1).max(255).nullable().default(null),
    allowConfigOverride: z.boolean().default(true),
    expiresAt: moment,
    alertEmails: z.array(z.email().max(254)).max(20).default([]),
    rotationPolicy: rotationPolicy.nullable().default(null),
    usageLimits: oneUsageLimit,
    rateLimits,
  }),
  fixed: ['workspace'],
  selection: `id type name description scopes defaults expiresAt alertEmails rotationPolicy { rotationPeriod rotationPeriodDays keyTransitionPeriodMs } usageLimits { ${usageSelection} } rateLimits { ${rateSelection} } ${workspaceSelection}`,
  list: { field: 'apiKeys(currentPage: $page, pageSize: 1000)', pageSize: 1000 },
  one: 'apiKey(id: $id)',
  // A person's own keys are not the organisation's to describe.
  read: (node, names) => (node.type === 'workspace-user' ? null : read(node, names)),
  slugOf: ({ name }) => String(name),
  references: (spec) => [
    ...workspaceReferences(spec, 'workspace'),
    ...(spec.config === null
      ? []
      : [{ kind: 'Config' as const, key: String(spec.config), path: ['config'] }]),
  ],
  check: (spec) =>
    spec.workspace === null && defaultsOf(spec) !== null
      ? [
          {
            path: ['workspace'],
            message: 'is needed: keys of the organisation take no metadata and no config.',
          },
        ]
      : [],
  async create({ run, names, spec }) {
    const workspaceId = names.workspaceOrNone(spec.workspace);
    const input = {
      ...Object.fromEntries(members.map((name) => [name, spec[name]])),
      ...givenLimits(spec),
      ...(workspaceId !== null && { workspaceId, defaults: defaultsOf(spec) }),
    };
    const type = workspaceId === null ? 'Organisation' : 'Workspace';
    const made = await run(
      `mutation ($input: Create${type}ServiceApiKeyInput!) { result: create${type}ServiceApiKey(input: $input) { id key } }`,
      { input },
    );
    return { id: String(made.id), secret: String(made.key) };
  },
  async update({ run, spec }, { id, node }, changed) {
    const input = {
      ...changedOf(spec, changed, members),
      ...changedLimits(spec, changed, node),
      ...(inDefaults.some((name) => changed.has(name)) && { defaults: defaultsOf(spec) }),
    };
    await run(
      'mutation ($id: ID!, $input: UpdateApiKeyInput!) { result: updateApiKey(id: $id, input: $input) { id } }',
      { id, input },
    );
    return undefined;
  },
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteApiKey(id: $id) }', { id }),
};
