import type { Resolvers } from '../resolvers.generated.ts';
import { listIntegrationCapabilities, listServerCapabilities } from './list.ts';
import { updateIntegrationCapabilities, updateServerCapabilities } from './update.ts';

export const resolvers = {
  Query: {
    mcpIntegrationCapabilities: (_parent, args, context) => listIntegrationCapabilities(context, args),
    mcpServerCapabilities: (_parent, args, context) => listServerCapabilities(context, args),
  },
  Mutation: {
    updateMcpIntegrationCapabilities: (_parent, { id, input }, context) =>
      updateIntegrationCapabilities(context, id, input),
    updateMcpServerCapabilities: (_parent, { id, input }, context) =>
      updateServerCapabilities(context, id, input),
  },
} satisfies Resolvers;
