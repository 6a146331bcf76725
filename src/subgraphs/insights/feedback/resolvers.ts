import type { Resolvers } from '../resolvers.generated.ts';
import { latestFeedback } from './loaders.ts';
import { createFeedback, listFeedback, updateFeedback } from './service.ts';

export const resolvers = {
  Query: { feedbacks: (_parent, args, context) => listFeedback(context, args) },
  Mutation: {
    createFeedback: (_parent, { input }, context) => createFeedback(context, input),
    updateFeedback: (_parent, { id, input }, context) => updateFeedback(context, id, input),
  },
  Feedback: { id: (feedback) => feedback._id },
  Log: {
    feedback: ({ workspaceId, traceId }, { limit }, context) =>
      latestFeedback(context).load({ workspaceId, traceId, limit }),
  },
} satisfies Resolvers;
