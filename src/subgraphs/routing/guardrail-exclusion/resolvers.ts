import type { Resolvers } from '../resolvers.generated.ts';
import { listExclusions, updateExclusions } from './service.ts';

export const resolvers = {
  Query: { guardrailExclusions: (_parent, args, context) => listExclusions(context, args) },
  Mutation: {
    updateGuardrailExclusions: (_parent, { phase, input }, context) =>
      updateExclusions(context, phase, input),
  },
  GuardrailExclusion: {
    excluded: () => true,
    workspace: ({ workspaceId }) => ({ id: workspaceId }),
  },
} satisfies Resolvers;
