import type { Resource } from '../../subgraph.ts';
import { roleModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedRole } from './service.ts';

export const role: Resource = {
  name: 'role',
  models: [roleModel],
  resolvers,
  references: { Role: ({ id }, context) => referencedRole(context, id) },
};
