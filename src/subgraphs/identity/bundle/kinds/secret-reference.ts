import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { type SecretManagerType, secretManagerOf } from '../../../../secret-managers/index.ts';
import { changedOf, type Kind, type Present } from '../kind.ts';
import {
  jsonObject,
  nameText,
  slugText,
  tags,
  textUpTo,
  workspaceNames,
  workspaceReferences,
} from './parts.ts';

const MASK = 'masked_';
const members = ['name', 'description', 'secretPath', 'secretKey', 'tags'];

const allowance = (spec: JsonObject, workspace: (slug: string) => string) =>
  (spec.workspaces as string[]).length > 0
    ? { allowedWorkspaces: (spec.workspaces as string[]).map(workspace) }
    : { allowAllWorkspaces: true };

/** What an update takes: masks under their own names, null for what is gone. */
function authChange(spec: JsonObject, { masks, spec: before }: Present): JsonObject {
  const given = spec.authConfig as JsonObject;
  const gone = Object.keys(before.authConfig as JsonObject).filter((name) => !(name in given));
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...Object.fromEntries(
      Object.entries(given).map(([name, value]) =>
        masks.get(`authConfig.${name}`) === value ? [MASK + name, value] : [name, value],
      ),
    ),
  };
}

export const secretReference: Kind = {
  name: 'SecretReference',
  spec: z.strictObject({
    name: nameText,
    description: textUpTo(1024),
    managerType: z.enum(['aws_sm', 'azure_kv', 'hashicorp_vault']),
    authConfig: jsonObject,
    secretPath: z.string().min(1).max(1024),
    secretKey: z.string().min(1).max(255).nullable().default(null),
    workspaces: z.array(slugText).max(500).default([]),
    tags,
  }),
  fixed: ['managerType'],
  selection:
    'id slug name description managerType authConfig secretPath secretKey tags allowedWorkspaces(limit: 500) { slug isDefault }',
  list: { field: 'secretReferences(currentPage: $page, pageSize: 100)', pageSize: 100 },
  one: 'secretReference(id: $id)',
  read: ({
    slug,
    name,
    description,
    managerType,
    authConfig,
    secretPath,
    secretKey,
    tags: stored,
    allowedWorkspaces,
  }) => ({
    slug: String(slug),
    spec: {
      name,
      description,
      managerType,
      authConfig: Object.fromEntries(
        Object.entries(authConfig as JsonObject).map(([member, value]) => [
          member.startsWith(MASK) ? member.slice(MASK.length) : member,
          value,
        ]),
      ),
      secretPath,
      secretKey,
      workspaces: workspaceNames(allowedWorkspaces),
      tags: stored,
    },
  }),
  references: (spec) => workspaceReferences(spec, 'workspaces'),
  secrets({ managerType, authConfig }) {
    const known = secretManagerOf(managerType as SecretManagerType).members;
    return Object.keys(authConfig as JsonObject)
      .filter((name) => Object.hasOwn(known, name) && known[name]?.masked)
      .map((name) => ['authConfig', name]);
  },
  async create({ run, names, slug, spec }) {
    const input = {
      ...changedOf(spec, new Set(Object.keys(spec)), [...members, 'managerType', 'authConfig']),
      slug,
      ...allowance(spec, names.workspace),
    };
    const made = await run(
      'mutation ($input: CreateSecretReferenceInput!) { result: createSecretReference(input: $input) { id } }',
      { input },
    );
    return { id: String(made.id) };
  },
  async update({ run, names, spec }, present, changed) {
    const input = {
      ...changedOf(spec, changed, members),
      ...(changed.has('authConfig') && { authConfig: authChange(spec, present) }),
      ...(changed.has('workspaces') && allowance(spec, names.workspace)),
    };
    await run(
      'mutation ($id: ID!, $input: UpdateSecretReferenceInput!) { result: updateSecretReference(id: $id, input: $input) { id } }',
      { id: present.id, input },
    );
    return undefined;
  },
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteSecretReference(id: $id) }', { id }),
};
