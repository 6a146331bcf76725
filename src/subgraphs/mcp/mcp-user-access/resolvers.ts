import type { Resolvers } from '../resolvers.generated.ts';
import { listMcpServerUserAccess, updateMcpServerUserAccess } from './service.ts';

export const resolvers = {
  Query: {
    mcpServerUserAccess: (_parent, args, context) => listMcpServerUserAccess(context, args),
  },
  Mutation: {
    updateMcpServerUserAccess: (_parent, { id, input }, context) =>
      updateMcpServerUserAccess(context, id, input),
  },
} satisfies Resolvers;
