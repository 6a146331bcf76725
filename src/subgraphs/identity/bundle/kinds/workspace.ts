import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { changedOf, DEFAULT_WORKSPACE, type Kind } from '../kind.ts';
import {
  rateDocuments,
  rateLimits,
  rateSelection,
  usageDocuments,
  usageInput,
  usageLimits,
  usageSelection,
} from './limits.ts';
import { nameText, textUpTo } from './parts.ts';

type Defaults = { metadata?: Record<string, string> } & JsonObject;

export const workspace: Kind = {
  name: 'Workspace',
  spec: z.strictObject({
    name: nameText,
    description: textUpTo(500),
    metadata: z.record(z.string().max(255), z.string().max(1024)).default({}),
    usageLimits,
    rateLimits,
  }),
  fixed: [],
  selection: `id slug isDefault name description defaults usageLimits { ${usageSelection} } rateLimits { ${rateSelection} }`,
  list: { field: 'workspaces(currentPage: $page, pageSize: 1000)', pageSize: 1000 },
  one: 'workspace(id: $id)',
  read: ({ slug, isDefault, name, description, defaults, ...limits }) => ({
    slug: isDefault ? DEFAULT_WORKSPACE : String(slug),
    spec: {
      ...{ name, description },
      metadata: (defaults as Defaults | null)?.metadata ?? {},
      usageLimits: usageDocuments(limits.usageLimits),
      rateLimits: rateDocuments(limits.rateLimits),
    },
  }),
  async create({ run, slug, spec: { metadata, ...spec } }) {
    const hasMetadata = Object.keys(metadata as object).length > 0;
    const input = { ...spec, slug, ...(hasMetadata && { defaults: { metadata } }) };
    const made = await run(
      'mutation ($input: CreateWorkspaceInput!) { result: createWorkspace(input: $input) { id } }',
      { input },
    );
    return { id: String(made.id) };
  },
  async update({ run, spec }, { id, node }, changed) {
    const defaults = { ...(node.defaults as Defaults | null), metadata: spec.metadata };
    const input = {
      ...changedOf(spec, changed, ['name', 'description']),
      ...(changed.has('metadata') && { defaults }),
      ...(changed.has('usageLimits') && {
        usageLimits: (spec.usageLimits as JsonObject[]).map((limit) =>
          usageInput(limit, node.usageLimits as JsonObject[]),
        ),
      }),
      ...changedOf(spec, changed, ['rateLimits']),
    };
    await run(
      'mutation ($id: ID!, $input: UpdateWorkspaceInput!) { result: updateWorkspace(id: $id, input: $input) { id } }',
      { id, input },
    );
    return undefined;
  },
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteWorkspace(id: $id) }', { id }),
};
