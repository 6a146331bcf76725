import type { Resource } from '../../subgraph.ts';
import { inviteById } from './loaders.ts';
import { inviteModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export { inviteModel } from './model.ts';

export const invite: Resource = {
  name: 'invite',
  models: [inviteModel],
  resolvers,
  references: { Invite: ({ id }, context) => inviteById(context).load(id) },
};
