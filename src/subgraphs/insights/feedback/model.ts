import { Schema } from 'mongoose';
import { FEEDBACK_COLLECTION, type StoredFeedback } from '../../../recording/log/feedback.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type FeedbackDocument = StoredFeedback;

const schema = new Schema<FeedbackDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    traceId: { type: String, required: true },
    value: { type: Number, required: true },
    weight: { type: Number, required: true },
    metadata: { type: Schema.Types.Mixed, default: {} },
    apiKeyId: { type: String, required: true },
    userId: { type: String, default: null },
    aiModel: { type: String, default: null },
  },
  resourceSchema(FEEDBACK_COLLECTION),
);
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, traceId: 1, createdAt: -1 });

export const feedbackModel = defineModel('Feedback', schema);
