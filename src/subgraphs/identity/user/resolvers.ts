import { workspaceIdsOf } from '../member/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { type WorkspaceDocument, workspaceById } from '../workspace/index.ts';
import { userNameOf } from './provisioned.ts';
import { deleteUser, getUser, listUsers, updateUser } from './service.ts';
import { transferOwnership } from './transfer-ownership.ts';

export const resolvers = {
  Query: {
    user: (_parent, { id }, context) => getUser(context, id),
    users: (_parent, args, context) => listUsers(context, args),
  },
  Mutation: {
    updateUser: (_parent, { id, input }, context) => updateUser(context, id, input),
    deleteUser: (_parent, { id }, context) => deleteUser(context, id),
    transferOwnership: (_parent, { userId }, context) => transferOwnership(context, userId),
  },
  User: {
    id: (user) => user._id,
    status: ({ status }) => status ?? 'active',
    userName: userNameOf,
    externalId: ({ provisioned }) => provisioned?.externalId,
    displayName: ({ provisioned }) => provisioned?.displayName,
    workspaceIds: async (user, { limit }, context) =>
      (await workspaceIdsOf(context).load(user._id)).slice(0, limit),
    workspaces: async (user, { limit }, context) => {
      const ids = await workspaceIdsOf(context).load(user._id);
      // An error among them is the error of its own item.
      return workspaceById(context).loadMany(ids.slice(0, limit)) as Promise<(WorkspaceDocument | null)[]>;
    },
  },
} satisfies Resolvers;
