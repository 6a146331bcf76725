import type { Resolvers } from '../resolvers.generated.ts';
import { mappingsOfGroup } from '../scim-mapping/index.ts';
import { type UserDocument, userById } from '../user/index.ts';
import { firstMemberIds } from './loaders.ts';
import { createGroup, deleteGroup, getGroup, listGroups } from './service.ts';
import { updateGroup } from './update.ts';

export const resolvers = {
  Query: {
    scimGroup: (_parent, { id }, context) => getGroup(context, id),
    scimGroups: (_parent, args, context) => listGroups(context, args),
  },
  Mutation: {
    createScimGroup: (_parent, { input }, context) => createGroup(context, input),
    updateScimGroup: (_parent, { id, input }, context) => updateGroup(context, id, input),
    deleteScimGroup: (_parent, { id }, context) => deleteGroup(context, id),
  },
  ScimGroup: {
    id: (group) => group._id,
    displayName: ({ name }) => name,
    members: async ({ _id: groupId }, { limit }, context) => {
      const ids = await firstMemberIds(context).load({ groupId, limit });
      // An error among them is the error of its own item.
      return userById(context).loadMany(ids) as Promise<(UserDocument | null)[]>;
    },
    mappings: async ({ _id }, { limit }, context) =>
      (await mappingsOfGroup(context).load(_id)).slice(0, limit),
  },
} satisfies Resolvers;
