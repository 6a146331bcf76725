import type { Resource } from '../../subgraph.ts';
import { groupMembershipModel, scimGroupModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedGroup } from './service.ts';

export const scimGroup: Resource = {
  name: 'scim-group',
  models: [scimGroupModel, groupMembershipModel],
  resolvers,
  references: { ScimGroup: ({ id }, context) => referencedGroup(context, id) },
};
