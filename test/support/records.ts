import type { LogBodies, LogBodiesPack, LogRecord } from '../../src/recording/log/record.ts';
import { unpack } from '../../src/recording/log/write-logs.ts';
import type { TestApp } from './app.ts';

/** Members that the store leaves out where they are null. */
const nulls = {
  userId: null,
  expiresAt: null,
  spanName: null,
  parentSpanId: null,
  source: null,
  runtime: null,
  runtimeVersion: null,
  sdkVersion: null,
  cacheMode: null,
  aiProvider: null,
  aiModel: null,
  providerId: null,
  providerSlug: null,
  integrationId: null,
  configId: null,
  configSlug: null,
  configVersionId: null,
  timeToFirstToken: null,
  promptTokens: null,
  completionTokens: null,
  totalTokens: null,
  usageSource: null,
  tokenClasses: null,
  costNanodollars: null,
  savingsNanodollars: null,
  error: null,
  bodiesId: null,
  batchId: null,
};

/** Records that match, in the order in which they were made, once all requests that were answered are durable. */
export async function recordsOf(app: TestApp, filter: object): Promise<LogRecord[]> {
  await app.logged();
  const found = await app.db.collection<LogRecord>('logs').find(filter).sort({ _id: 1 }).toArray();
  return found.map((record) => ({ ...nulls, ...record }) as LogRecord);
}

/** As `recordsOf`, but waits until there is one: what follows the end of a connection takes a moment. */
export async function someRecordsOf(app: TestApp, filter: object): Promise<LogRecord[]> {
  for (;;) {
    const records = await recordsOf(app, filter);
    if (records.length > 0) return records;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export type StoredBodies = Omit<LogBodies, 'expiresAt'>;

/** Headers and bodies of a record; null where none are stored. */
export async function bodiesOf(app: TestApp, { _id, bodiesId }: LogRecord): Promise<StoredBodies | null> {
  if (bodiesId === null) return null;
  const pack = await app.db.collection<LogBodiesPack>('log_bodies').findOne({ _id: bodiesId });
  return (pack && unpack(pack)[_id]) ?? null;
}

/** Everything that is stored of requests, records and bodies, as one text. */
export async function storedText(app: TestApp): Promise<string> {
  const records = await app.db.collection('logs').find({}).toArray();
  const packs = await app.db.collection<LogBodiesPack>('log_bodies').find({}).toArray();
  return JSON.stringify([records, packs.map(unpack)]);
}
