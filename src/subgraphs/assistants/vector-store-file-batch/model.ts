import { Schema } from 'mongoose';
import type { VectorStoreFileBatchDocument } from '../../../knowledge/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

const schema = new Schema<VectorStoreFileBatchDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    storeId: { type: String, required: true },
    cancelledAt: { type: Date, default: null },
  },
  resourceSchema('vector_store_file_batches'),
);
schema.index({ storeId: 1 });
schema.index({ workspaceId: 1 });

export const vectorStoreFileBatchModel = defineModel('VectorStoreFileBatch', schema);
