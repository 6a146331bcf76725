import type { Resolvers } from '../resolvers.generated.ts';
import { effectiveGuardrails } from './effective.ts';
import { testGuardrails } from './run.ts';

export const resolvers = {
  Query: {
    effectiveGuardrails: (_parent, args, context) => effectiveGuardrails(context, args),
    testGuardrails: (_parent, { input }, context) => testGuardrails(context, input),
  },
} satisfies Resolvers;
