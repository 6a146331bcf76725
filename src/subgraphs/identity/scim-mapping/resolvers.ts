import type { Resolvers } from '../resolvers.generated.ts';
import { scimGroupById } from '../scim-group/index.ts';
import { workspaceById } from '../workspace/index.ts';
import { createMapping, deleteMapping, listMappings } from './service.ts';

export const resolvers = {
  Query: { scimMappings: (_parent, args, context) => listMappings(context, args) },
  Mutation: {
    createScimMapping: (_parent, { input }, context) => createMapping(context, input),
    deleteScimMapping: (_parent, { id }, context) => deleteMapping(context, id),
  },
  ScimMapping: {
    id: (mapping) => mapping._id,
    scimGroupId: ({ groupId }) => groupId,
    scimGroupName: async ({ groupId }, _args, context) => (await scimGroupById(context).load(groupId))?.name,
    scimGroup: ({ groupId }, _args, context) => scimGroupById(context).load(groupId),
    workspace: ({ workspaceId }, _args, context) => workspaceById(context).load(workspaceId),
  },
} satisfies Resolvers;
