import { z } from 'zod';
import { changedOf, type Kind } from '../kind.ts';
import { textUpTo } from './parts.ts';

export const serviceAccount: Kind = {
  name: 'ServiceAccount',
  spec: z.strictObject({ description: textUpTo(500) }),
  slug: /^[a-z0-9][a-z0-9._-]{0,62}$/,
  fixed: [],
  selection: 'id name description',
  list: { field: 'serviceAccounts(currentPage: $page, pageSize: 1000)', pageSize: 1000 },
  one: 'serviceAccount(id: $id)',
  read: ({ name, description }) => ({ slug: String(name), spec: { description } }),
  async create({ run, slug, spec }) {
    const input = { ...spec, name: slug };
    const made = await run(
      'mutation ($input: CreateServiceAccountInput!) { result: createServiceAccount(input: $input) { id clientSecret } }',
      { input },
    );
    return { id: String(made.id), secret: String(made.clientSecret) };
  },
  async update({ run, spec }, { id }, changed) {
    const input = changedOf(spec, changed, ['description']);
    await run(
      'mutation ($id: ID!, $input: UpdateServiceAccountInput!) { result: updateServiceAccount(id: $id, input: $input) { id } }',
      { id, input },
    );
    return undefined;
  },
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteServiceAccount(id: $id) }', { id }),
};
