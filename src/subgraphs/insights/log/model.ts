import { Schema, type SchemaDefinition } from 'mongoose';
import {
  LOG_BODIES_COLLECTION,
  LOGS_COLLECTION,
  type LogBodiesPack,
  type LogRecord,
} from '../../../recording/log/record.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

const text = { type: String, default: null };
const count = { type: Number, default: null };

const recordFields = {
  _id: String,
  organisationId: String,
  workspaceId: String,
  apiKeyId: String,
  userId: text,
  createdAt: Date,
  expiresAt: { type: Date, default: null },
  traceId: String,
  spanId: String,
  spanName: text,
  parentSpanId: text,
  callerSpanId: text,
  requestMethod: String,
  requestUrl: String,
  endpoint: String,
  isProxyCall: Boolean,
  source: text,
  runtime: text,
  runtimeVersion: text,
  sdkVersion: text,
  aiProvider: text,
  aiModel: text,
  providerId: text,
  providerSlug: text,
  integrationId: text,
  configId: text,
  configSlug: text,
  configVersionId: text,
  mode: String,
  lastUsedOptionIndex: Number,
  lastUsedOptionJsonPath: String,
  retryAttemptCount: Number,
  responseStatusCode: Number,
  isSuccess: Boolean,
  streamMode: Number,
  responseTime: Number,
  timeToFirstToken: count,
  upstreamResponseTime: Number,
  gatewayProcessingTime: count,
  cacheStatus: { type: String, default: 'DISABLED' },
  cacheMode: text,
  promptTokens: count,
  completionTokens: count,
  totalTokens: count,
  usageSource: text,
  tokenClasses: { type: Schema.Types.Mixed, default: null },
  costNanodollars: count,
  savingsNanodollars: count,
  metadata: { type: Schema.Types.Mixed, default: {} },
  clientAborted: Boolean,
  error: text,
  bodiesId: text,
  batchId: text,
} satisfies Record<keyof LogRecord, unknown>;

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
