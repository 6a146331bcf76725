import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type FeedbackDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  traceId: string;
  /** A whole number from -10 to 10. */
  value: number;
  /** From 0 to 1. */
  weight: number;
  metadata: Record<string, unknown>;
  apiKeyId: string;
  userId: string | null;
  /** Model of the trace's last log; null when there was none. */
  aiModel: string | null;
  createdAt: Date;
  lastUpdatedAt: Date;
};

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
  resourceSchema('feedback'),
);
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, traceId: 1, createdAt: -1 });

export const feedbackModel = defineModel('Feedback', schema);
