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
    sign: String,
    next: Schema.Types.Mixed,
    settling: Schema.Types.Mixed,
  },
  resourceSchema('vector_stores'),
);
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ expiresAt: 1 });
// What the processes that prepare files for another embedding look for.
schema.index({ 'next.sign': 1 }, { sparse: true });
schema.index({ 'settling.id': 1 }, { sparse: true });

export const vectorStoreModel = defineModel('VectorStore', schema);
