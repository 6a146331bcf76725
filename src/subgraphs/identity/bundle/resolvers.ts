import type { Resolvers } from '../resolvers.generated.ts';
import { applyBundle } from './apply.ts';
import { exportBundle, planBundle } from './service.ts';

export const resolvers = {
  Query: {
    exportBundle: (_parent, args, context) => exportBundle(context, args),
    planBundle: (_parent, { input }, context) => planBundle(context, input),
  },
  Mutation: { applyBundle: (_parent, { input }, context) => applyBundle(context, input) },
} satisfies Resolvers;
