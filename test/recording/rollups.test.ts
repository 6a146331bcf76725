// What analytics say is what a recount of the logs says, whatever happens on the way.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Collection, Db } from 'mongodb';
import { createLogger } from '../../src/lib/logger.ts';
import type { LogEntry, LogRecord } from '../../src/recording/log/record.ts';
import { createLogWriter } from '../../src/recording/log/writer.ts';
import { repairRollups } from '../../src/recording/rollups/repair.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { dataOf } from '../subgraphs/support.ts';
import { analyticsQuery } from '../support/analytics.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { logEntry } from '../support/logs.ts';

let app: TestApp;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const now = Date.now();

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** How a write to the store fails: not at all, before it is done, after it was done, or half-way. */
type Fault = 'none' | 'before' | 'after' | 'half';

/** The database as one writer sees it, whose writes fail as the faults say, one after the other, and then no more. */
function faulty(db: Db, faults: Fault[]): Db {
  const failing = (work: (documents?: unknown[]) => Promise<unknown>, documents?: unknown[]) => async () => {
    const fault = faults.shift() ?? 'none';
    if (fault === 'before') throw new Error('The connection broke before.');
    if (fault === 'half' && documents) await work(documents.slice(0, documents.length / 2));
    if (fault === 'after') await work(documents);
    if (fault === 'none') return work(documents);
    throw new Error('The connection broke.');
  };
  const collectionOf = (name: string) => {
    const collection = db.collection(name) as unknown as Collection;
    return new Proxy(collection, {
      get(target, method: keyof Collection) {
        const own = (target[method] as (...args: unknown[]) => unknown).bind(target);
        if (method === 'insertMany') {
          return (documents: unknown[], options: object) =>
            failing((some) => own(some, options) as Promise<unknown>, documents)();
        }
        if (method === 'insertOne' || method === 'replaceOne' || method === 'deleteMany') {
          return (...args: unknown[]) => failing(() => own(...args) as Promise<unknown>)();
        }
        return own;
      },
    });
  };
  return { collection: collectionOf } as unknown as Db;
}

const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);

const someLog = fc.record({
  // Close together in three places, so that batches meet in the same roll-ups.
  createdAt: fc
    .tuple(oneOf(0, DAY, 30 * DAY), fc.integer({ min: 1, max: 2 * HOUR }))
    .map(([days, ago]) => new Date(now - days - ago)),
  apiKeyId: oneOf('key-1', 'key-2'),
  aiProvider: oneOf('openai', 'anthropic', null),
  aiModel: oneOf('gpt-4o', 'claude', null),
  configSlug: oneOf('pc-1', null),
  providerSlug: oneOf('main', 'spare', null),
  mode: oneOf('single', 'fallback'),
  lastUsedOptionIndex: oneOf(0, 1),
  retryAttemptCount: oneOf(0, 1, 3, -1),
  responseStatusCode: oneOf(200, 246, 429, 500),
  responseTime: fc.double({ min: 0, max: 100_000, noNaN: true }),
  endpoint: oneOf('chatComplete', 'embed'),
  cacheStatus: oneOf<LogRecord['cacheStatus']>('DISABLED', 'MISS', 'HIT', 'SEMANTIC HIT', 'REFRESH'),
  promptTokens: fc.option(fc.nat(10_000)),
  completionTokens: fc.option(fc.nat(10_000)),
  totalTokens: fc.option(fc.nat(20_000)),
  costNanodollars: fc.option(fc.nat(2 ** 31 - 1)),
  savingsNanodollars: fc.option(fc.nat(2 ** 31 - 1)),
  metadata: fc.record(
    { _user: oneOf('ann', 'bob', 'eve'), team: oneOf('ads', 'ops'), _prompt: oneOf('hello', 'bye') },
    { requiredKeys: [] },
  ),
});

const plan = fc.record({
  batches: fc.array(
    fc.record({
      logs: fc.array(someLog, { minLength: 1, maxLength: 6 }),
      writer: fc.nat(2),
      settles: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  faults: fc.array(fc.array(oneOf<Fault>('none', 'none', 'before', 'after', 'half'), { maxLength: 12 }), {
    minLength: 3,
    maxLength: 3,
  }),
  cut: fc.integer({ min: 1, max: 9 }),
  windows: fc.array(
    fc.record({
      ago: fc.oneof(fc.nat(2 * HOUR), fc.nat(31 * DAY)),
      length: fc.oneof(fc.nat(7 * HOUR), fc.nat(32 * DAY)),
      zone: oneOf('UTC', 'Europe/Berlin', 'Asia/Kolkata'),
    }),
    { minLength: 1, maxLength: 1 },
  ),
});

const log = createLogger('silent');

test('roll-ups equal a recount of the logs, whatever fails, is written again, cut otherwise or left behind', async () => {
  const db = nativeDb(app.db);
  let written = 0;
  await fc.assert(
    fc.asyncProperty(plan, async ({ batches, faults, cut, windows }) => {
      const writers = faults.map((own) => createLogWriter({ database: async () => faulty(db, own), log }));
      const spooled: LogEntry[] = [];
      for (const { logs, writer, settles } of batches) {
        const entries = logs.map((change) => logEntry(app, change));
        written += entries.length;
        await writers[writer]?.write(entries).catch(() => spooled.push(...entries));
        if (settles) await writers[writer]?.settle();
      }
      // The spool is brought in by another writer, in batches of another size, while the first ones still settle.
      const replaying = createLogWriter({ database: async () => db, log });
      for (let start = 0; start < spooled.length; start += cut) {
        await replaying.write(spooled.slice(start, start + cut));
      }
      const repair = () => repairRollups(db, new Date(Date.now() + DAY));
      // The second writer was killed; the others and two repairs go about the same batches at the same time.
      await Promise.all([replaying.settle(), repair(), writers[0]?.settle(), repair(), writers[2]?.settle()]);
      await repair();
      // One that comes back late has nothing to add.
      await Promise.all(writers.map((writer) => writer.stop()));
      expect(await db.collection('log_batches').countDocuments()).toBe(0);
      for (const { ago, length, zone } of windows) {
        const min = new Date(now - ago - length);
        const max = new Date(now - ago);
        const [rolledUp, recounted] = await Promise.all(
          // An empty filter by metadata lets every log through, but has them looked at one by one.
          [{}, { metadata: {} }].map(async (filters) =>
            dataOf(await app.graphql(analyticsQuery(), { min, max, filters, zone })),
          ),
        );
        expect(rolledUp).toEqual(recounted);
      }
    }),
    { numRuns: 12 },
  );
  const all = dataOf(
    await app.graphql(analyticsQuery('requests { summary { total } }'), {
      min: new Date(now - 100 * DAY),
      max: new Date(now),
    }),
  );
  expect(all.analytics.requests.summary.total).toBe(written);
}, 120_000);
