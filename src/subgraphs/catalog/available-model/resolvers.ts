import type { Resolvers } from '../resolvers.generated.ts';
import { listAvailableModels } from './service.ts';

export const resolvers = {
  Query: { availableModels: (_parent, args, context) => listAvailableModels(context, args) },
} satisfies Resolvers;
