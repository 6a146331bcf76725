import { Schema } from 'mongoose';
import { LOG_BATCHES_COLLECTION, type LogBatch } from '../../../recording/rollups/batches.ts';
import { ROLLUPS_COLLECTION, type RollupDocument } from '../../../recording/rollups/document.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

// The recorder writes both by the driver alone; mongoose only makes the collections and their indexes.
const written = (collection: string) => ({ ...resourceSchema(collection), timestamps: false }) as const;

const rollupSchema = new Schema<RollupDocument>({ _id: String }, written(ROLLUPS_COLLECTION));
rollupSchema.index({ organisationId: 1, workspaceId: 1, facet: 1, span: 1, start: 1 });
rollupSchema.index({ organisationId: 1, facet: 1, span: 1, start: 1 });
rollupSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const batchSchema = new Schema<LogBatch>({ _id: String }, written(LOG_BATCHES_COLLECTION));

export const rollupModel = defineModel('LogRollup', rollupSchema);
export const logBatchModel = defineModel('LogBatch', batchSchema);
