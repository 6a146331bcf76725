import { userById } from '../../identity/user/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { listMcpGrants, revokeMcpGrant } from './service.ts';

export const resolvers = {
  Query: { mcpGrants: (_parent, args, context) => listMcpGrants(context, args) },
  Mutation: { revokeMcpGrant: (_parent, { id }, context) => revokeMcpGrant(context, id) },
  McpGrant: {
    id: ({ _id }) => _id,
    userId: ({ userId }) => userId ?? '',
    userEmail: async ({ userId }, _args, context) =>
      (userId && (await userById(context).load(userId))?.email) || null,
    lastUsedAt: ({ rotatedAt, createdAt }) => rotatedAt ?? createdAt,
    endsAt: ({ expiresAt }) => expiresAt,
  },
} satisfies Resolvers;
