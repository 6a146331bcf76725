import type { Resolvers } from '../resolvers.generated.ts';
import { workspaceById } from '../workspace/index.ts';
import { createAccessPolicy, deleteAccessPolicy, getAccessPolicy, listAccessPolicies } from './service.ts';

export const resolvers = {
  Query: {
    accessPolicy: (_parent, { id }, context) => getAccessPolicy(context, id),
    accessPolicies: (_parent, args, context) => listAccessPolicies(context, args),
  },
  Mutation: {
    createAccessPolicy: (_parent, { input }, context) => createAccessPolicy(context, input),
    deleteAccessPolicy: (_parent, { id }, context) => deleteAccessPolicy(context, id),
  },
  AccessPolicy: {
    id: (policy) => policy._id,
    workspace: (policy, _args, context) =>
      policy.workspaceId ? workspaceById(context).load(policy.workspaceId) : null,
  },
} satisfies Resolvers;
