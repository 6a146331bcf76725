import { Schema } from 'mongoose';
import type { BatchDocument, BatchLineDocument } from '../../../batches/index.ts';
import { defineModel } from '../../../storage/model.ts';

const owned = {
  _id: String,
  organisationId: { type: String, required: true },
  workspaceId: { type: String, required: true },
} as const;

const optionsOf = (collection: string) =>
  ({
    collection,
    strict: false,
    versionKey: false,
    minimize: false,
    id: false,
    autoIndex: false,
    autoCreate: false,
  }) as const;

const schema = new Schema<BatchDocument>(
  { ...owned, createdAt: { type: Date, required: true }, sealedCaller: String },
  optionsOf('batches'),
);
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ active: 1, createdAt: 1 });

export const batchModel = defineModel('Batch', schema);

const lineSchema = new Schema<BatchLineDocument>({ ...owned }, optionsOf('batch_lines'));
lineSchema.index({ batchId: 1, index: 1 });
lineSchema.index({ organisationId: 1, workspaceId: 1 });

export const batchLineModel = defineModel('BatchLine', lineSchema);
