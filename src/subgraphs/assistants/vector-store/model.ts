import { Schema } from 'mongoose';
import type { VectorStoreDocument } from '../../../knowledge/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

const schema = new Schema<VectorStoreDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    name: { type: String, default: '' },
    description: { type: String, default: null },
    metadata: { type: Schema.Types.Mixed, default: {} },
    expiresAfterDays: { type: Number, default: null },
    lastActiveAt: { type: Date, required: true },
    expiresAt: { type: Date, default: null },
    embedding: { type: Schema.Types.Mixed, required: true },
    revision: { type: Number, default: 0 },
    removedAt: Date,
  },
  resourceSchema('vector_stores'),
);
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ expiresAt: 1 });

export const vectorStoreModel = defineModel('VectorStore', schema);
