export { tracesWithAverageFeedback } from './average-by-trace.ts';
export { type FeedbackDocument, feedbackModel } from './model.ts';
