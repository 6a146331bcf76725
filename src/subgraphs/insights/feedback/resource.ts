import type { Resource } from '../../subgraph.ts';
import { feedbackModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedFeedback } from './service.ts';

export const feedback: Resource = {
  name: 'feedback',
  models: [feedbackModel],
  resolvers,
  references: { Feedback: ({ id }, context) => referencedFeedback(context, id) },
};
