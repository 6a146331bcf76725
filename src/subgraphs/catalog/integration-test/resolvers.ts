import type { Resolvers } from '../resolvers.generated.ts';
import { testIntegration } from './service.ts';

export const resolvers = {
  Mutation: { testIntegration: (_parent, args, context) => testIntegration(context, args) },
} satisfies Resolvers;
