import type { LogRecord } from '../../../recording/log-record.ts';
import type { Resolvers } from '../../subgraph.ts';
import { latestFeedback } from './loaders.ts';
import type { FeedbackDocument } from './model.ts';
import { createFeedback, listFeedback, updateFeedback } from './service.ts';

export const resolvers: Resolvers = {
  Query: { feedbacks: (_parent, args, context) => listFeedback(context, args) },
  Mutation: {
    createFeedback: (_parent, { input }, context) => createFeedback(context, input),
    updateFeedback: (_parent, { id, input }, context) => updateFeedback(context, id, input),
  },
  Feedback: { id: (feedback: FeedbackDocument) => feedback._id },
  Log: {
    feedback: ({ workspaceId, traceId }: LogRecord, { limit }, context) =>
      latestFeedback(context).load({ workspaceId, traceId, limit }),
  },
};
