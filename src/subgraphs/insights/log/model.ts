import { Schema, type SchemaDefinition } from 'mongoose';
import { type FieldTypes, fieldRows } from '../../../recording/log/fields.ts';
import {
  LOG_BODIES_COLLECTION,
  LOGS_COLLECTION,
  type LogBodiesPack,
  type LogRecord,
} from '../../../recording/log/record.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

const storeTypes = {
  text: String,
  number: Number,
  flag: Boolean,
  time: Date,
  labels: Schema.Types.Mixed,
  counts: Schema.Types.Mixed,
} satisfies Record<keyof FieldTypes, unknown>;

const recordFields = Object.fromEntries(
  fieldRows.map(([name, { type, default: blank }]) => [name, { type: storeTypes[type], default: blank }]),
);

/** Keys of the index that lists by cost are read by; which ones are, `reading.ts` says. */
export const byCost = { organisationId: 1, costNanodollars: -1, _id: -1 } as const;

// The recorder sets every member, times included; mongoose only reads these collections.
const written = (collection: string) => ({ ...resourceSchema(collection), timestamps: false }) as const;

const recordSchema = new Schema<LogRecord>(
  recordFields as SchemaDefinition<LogRecord>,
  written(LOGS_COLLECTION),
);
// Inserts are hot: no further index here without a measurement. The second one took 4 % more CPU time of an insert and
// brought the newest page of an organisation with 50,000 logs from 660 to 2 ms.
recordSchema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
recordSchema.index({ organisationId: 1, createdAt: -1, _id: -1 });
recordSchema.index({ organisationId: 1, traceId: 1 });
// Errors are few: these two cost the other logs nothing, and lists of errors read errors alone.
const ofErrors = { partialFilterExpression: { isSuccess: false } };
recordSchema.index({ organisationId: 1, workspaceId: 1, isSuccess: 1, createdAt: -1, _id: -1 }, ofErrors);
recordSchema.index({ organisationId: 1, isSuccess: 1, createdAt: -1, _id: -1 }, ofErrors);
recordSchema.index(byCost);
recordSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const packSchema = new Schema<LogBodiesPack>(
  {
    _id: String,
    organisationId: String,
    workspaceId: String,
    createdAt: Date,
    expiresAt: { type: Date, default: null },
    entries: Schema.Types.Mixed,
  } satisfies Record<keyof LogBodiesPack, unknown> as SchemaDefinition<LogBodiesPack>,
  written(LOG_BODIES_COLLECTION),
);
packSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const logModel = defineModel('Log', recordSchema);
export const logBodiesPackModel = defineModel('LogBodiesPack', packSchema);
