export { tracesWithFeedback } from './by-trace.ts';
export { type FeedbackDocument, feedbackModel } from './model.ts';
