import type { Resolvers } from '../../subgraph.ts';
import { workspaceIdsOf } from '../member/index.ts';
import { workspaceById } from '../workspace/index.ts';
import type { UserDocument } from './model.ts';
import { deleteUser, getUser, listUsers, updateUser } from './service.ts';

export const resolvers: Resolvers = {
  Query: {
    user: (_parent, { id }, context) => getUser(context, id),
    users: (_parent, args, context) => listUsers(context, args),
  },
  Mutation: {
    updateUser: (_parent, { id, input }, context) => updateUser(context, id, input),
    deleteUser: (_parent, { id }, context) => deleteUser(context, id),
  },
  User: {
    id: (user: UserDocument) => user._id,
    workspaceIds: async (user: UserDocument, { limit }, context) =>
      (await workspaceIdsOf(context).load(user._id)).slice(0, limit),
    workspaces: async (user: UserDocument, { limit }, context) => {
      const ids = await workspaceIdsOf(context).load(user._id);
      return workspaceById(context).loadMany(ids.slice(0, limit));
    },
  },
};
