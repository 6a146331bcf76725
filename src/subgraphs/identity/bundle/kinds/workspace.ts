import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { changedOf, DEFAULT_WORKSPACE, type Kind } from '../kind.ts';
import { nameText, textUpTo } from './parts.ts';

type Defaults = { metadata?: Record<string, string> } & JsonObject;

export const workspace: Kind = {
  name: 'Workspace',
  spec: z.strictObject({
    name: nameText,
    description: textUpTo(500),
    metadata: z.record(z.string().max(255), z.string().max(1024)).default({}),
  }),
  fixed: [],
  selection: 'id slug isDefault name description defaults',
  list: { field: 'workspaces(currentPage: $page, pageSize: 1000)', pageSize: 1000 },
  one: 'workspace(id: $id)',
  read: ({ slug, isDefault, name, description, defaults }) => ({
    slug: isDefault ? DEFAULT_WORKSPACE : String(slug),
    spec: { name, description, metadata: (defaults as Defaults | null)?.metadata ?? {} },
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
    };
    await run(
      'mutation ($id: ID!, $input: UpdateWorkspaceInput!) { result: updateWorkspace(id: $id, input: $input) { id } }',
      { id, input },
    );
    return undefined;
  },
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteWorkspace(id: $id) }', { id }),
};
