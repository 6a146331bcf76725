import type { Resource } from '../../subgraph.ts';
import { userModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedUser } from './service.ts';

export const user: Resource = {
  name: 'user',
  models: [userModel],
  resolvers,
  references: { User: ({ id }, context) => referencedUser(context, id) },
};
