import { Schema } from 'mongoose';
import type { VectorSegmentDocument, VectorStoreFileDocument } from '../../../knowledge/index.ts';
import { defineModel } from '../../../storage/model.ts';

const options = (collection: string) =>
  ({
    collection,
    strict: false,
    versionKey: false,
    minimize: false,
    id: false,
    autoIndex: false,
    autoCreate: false,
  }) as const;

const owner = {
  organisationId: { type: String, required: true },
  workspaceId: { type: String, required: true },
  storeId: { type: String, required: true },
  fileId: { type: String, required: true },
};

const schema = new Schema<VectorStoreFileDocument>(
  {
    _id: String,
    ...owner,
    batchId: { type: String, default: null },
    status: { type: String, required: true },
    leaseUntil: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  options('vector_store_files'),
);
schema.index({ storeId: 1, createdAt: -1, _id: -1 });
schema.index({ storeId: 1, status: 1, createdAt: -1, _id: -1 });
schema.index({ batchId: 1, createdAt: -1, _id: -1 });
schema.index({ batchId: 1, status: 1, createdAt: -1, _id: -1 });
schema.index({ workspaceId: 1, fileId: 1 });
// What the processes that index look for.
schema.index({ status: 1, leaseUntil: 1 });

export const vectorStoreFileModel = defineModel('VectorStoreFile', schema);

const segmentSchema = new Schema<VectorSegmentDocument>(
  {
    _id: String,
    ...owner,
    generation: { type: Number, required: true },
    place: { type: Number, required: true },
  },
  options('vector_segments'),
);
segmentSchema.index({ storeId: 1, fileId: 1, generation: 1, place: 1 });
segmentSchema.index({ storeId: 1, sign: 1 });
segmentSchema.index({ workspaceId: 1 });
// What a process left behind that died before its file had ended.
segmentSchema.index({ provisionalUntil: 1 }, { expireAfterSeconds: 0 });

export const vectorSegmentModel = defineModel('VectorSegment', segmentSchema);
