import { z } from 'zod';
import { changedOf, type Kind } from '../kind.ts';
import { nameText, textUpTo } from './parts.ts';

export const role: Kind = {
  name: 'Role',
  spec: z.strictObject({
    name: nameText,
    description: textUpTo(500),
    permissions: z.array(z.string().max(128)).min(1).max(200),
  }),
  slug: /^[a-z0-9][a-z0-9_-]{1,62}$/,
  fixed: [],
  selection: 'id slug name description permissions',
  list: { field: 'roles(builtIn: false, currentPage: $page, pageSize: 1000)', pageSize: 1000 },
  one: 'role(id: $id)',
  read: ({ slug, name, description, permissions }) => ({
    slug: String(slug),
    spec: { name, description, permissions },
  }),
  async create({ run, slug, spec }) {
    const input = { ...spec, slug };
    const made = await run(
      'mutation ($input: CreateRoleInput!) { result: createRole(input: $input) { id } }',
      {
        input,
      },
    );
    return { id: String(made.id) };
  },
  async update({ run, spec }, { id }, changed) {
    const input = changedOf(spec, changed, ['name', 'description', 'permissions']);
    await run(
      'mutation ($id: ID!, $input: UpdateRoleInput!) { result: updateRole(id: $id, input: $input) { id } }',
      { id, input },
    );
    return undefined;
  },
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteRole(id: $id) }', { id }),
};
