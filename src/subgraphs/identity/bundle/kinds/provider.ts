import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { changedOf, type Kind } from '../kind.ts';
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
import { mapped, mappingInput, mappingReference, mappingSelection, type NamedMapping } from './mappings.ts';
import {
  moment,
  nameText,
  slugText,
  tags,
  textUpTo,
  workspaceName,
  workspaceReferences,
  workspaceSelection,
} from './parts.ts';

const mapping = z.strictObject({
  secretReference: slugText,
  secretKey: nameText.optional(),
  valueFormat: z.enum(['json', 'string']).optional(),
});

const mappingInputs = ({ secretMappings }: JsonObject) =>
  Object.entries(secretMappings as Record<string, JsonObject>).map(([name, value]) =>
    mappingInput(name, value),
  );

const isShared = ({ allWorkspaces, workspaces, deniedWorkspaces }: JsonObject, slug: string): boolean =>
  (workspaces as string[]).includes(slug) ||
  (allWorkspaces === true && !(deniedWorkspaces as string[]).includes(slug));

export const provider: Kind = {
  name: 'Provider',
  spec: z.strictObject({
    workspace: slugText,
    integration: slugText,
    name: nameText,
    note: textUpTo(1000),
    expiresAt: moment,
    secretMappings: z.record(nameText, mapping).default({}),
    tags,
    usageLimits: oneUsageLimit,
    rateLimits,
  }),
  fixed: ['workspace', 'integration'],
  selection: `id slug name note expiresAt tags usageLimits { ${usageSelection} } rateLimits { ${rateSelection} } integration { slug } ${mappingSelection} ${workspaceSelection}`,
  list: {
    field: 'providers(workspaceId: $workspaceId, currentPage: $page, pageSize: 1000)',
    pageSize: 1000,
    isByWorkspace: true,
  },
  one: 'provider(id: $id)',
  read: ({
    slug,
    name,
    note,
    expiresAt,
    secretMappings,
    tags: stored,
    integration,
    workspace,
    usageLimits,
    rateLimits: shownRates,
  }) => ({
    slug: String(slug),
    spec: {
      workspace: workspaceName(workspace),
      integration: (integration as { slug: string } | null)?.slug ?? null,
      name,
      note,
      expiresAt,
      secretMappings: mapped(secretMappings as NamedMapping[]),
      tags: stored,
      usageLimits: usageDocumentOrNone(usageLimits),
      rateLimits: rateDocuments(shownRates),
    },
  }),
  references: (spec) => [
    ...workspaceReferences(spec, 'workspace'),
    { kind: 'Integration', key: String(spec.integration), path: ['integration'] },
    ...Object.entries(spec.secretMappings as JsonObject).flatMap(([name, value]) =>
      mappingReference(value, ['secretMappings', name]),
    ),
  ],
  // A workspace may have lost an integration of which it has providers: no call goes through them.
  isPossible: ({ workspace }, integration) =>
    integration === null ||
    (integration.workspace === null
      ? isShared(integration, String(workspace))
      : integration.workspace === workspace),
  async create({ run, names, slug, spec: { workspace, integration, ...spec } }) {
    const { usageLimits: _usage, rateLimits: _rates, ...others } = spec;
    const input = {
      ...others,
      ...givenLimits(spec),
      secretMappings: mappingInputs(spec),
      slug,
      integrationId: integration,
      workspaceId: names.workspace(String(workspace)),
    };
    const made = await run(
      'mutation ($input: CreateProviderInput!) { result: createProvider(input: $input) { id } }',
      { input },
    );
    return { id: String(made.id) };
  },
  async update({ run, spec }, { id, node }, changed) {
    const input = {
      ...changedOf(spec, changed, ['name', 'note', 'expiresAt', 'tags']),
      ...changedLimits(spec, changed, node),
      ...(changed.has('secretMappings') && { secretMappings: mappingInputs(spec) }),
    };
    await run(
      'mutation ($id: ID!, $input: UpdateProviderInput!) { result: updateProvider(id: $id, input: $input) { id } }',
      { id, input },
    );
    return undefined;
  },
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteProvider(id: $id) }', { id }),
};
