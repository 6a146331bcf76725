import type { Resource } from '../../subgraph.ts';
import { inviteModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedInvite } from './service.ts';

export const invite: Resource = {
  name: 'invite',
  models: [inviteModel],
  resolvers,
  references: { Invite: ({ id }, context) => referencedInvite(context, id) },
};
