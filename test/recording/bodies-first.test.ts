import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Db } from 'mongodb';
import { createLogger } from '../../src/lib/logger.ts';
import {
  LOG_BODIES_COLLECTION,
  LOGS_COLLECTION,
  type LogBodiesPack,
  type LogRecord,
} from '../../src/recording/log/record.ts';
import { unpack } from '../../src/recording/log/write-logs.ts';
import { createLogWriter } from '../../src/recording/log/writer.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { logEntry } from '../support/logs.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** The database, each insert of many into which is told before it begins and after it has ended. */
function watched(db: Db, tell: (moment: string) => void): Db {
  const collection = (name: string) =>
    new Proxy(db.collection(name), {
      get(target, method) {
        const own = Reflect.get(target, method);
        if (typeof own !== 'function') return own;
        if (method !== 'insertMany') return own.bind(target);
        return async (...args: unknown[]) => {
          tell(`${name} begins`);
          const answer = await own.apply(target, args);
          tell(`${name} ended`);
          return answer;
        };
      },
    });
  return { collection } as unknown as Db;
}

const storedOf = (id: string) => nativeDb(app.db).collection<LogRecord>(LOGS_COLLECTION).findOne({ _id: id });

async function bodiesOf(id: string): Promise<string[]> {
  const record = await storedOf(id);
  const packs = nativeDb(app.db).collection<LogBodiesPack>(LOG_BODIES_COLLECTION);
  const pack = await packs.findOne({ _id: record?.bodiesId ?? '' });
  return pack ? Object.keys(unpack(pack)) : [];
}

test('a record is inserted once its bodies are stored, so that whoever sees it finds them', async () => {
  const moments: string[] = [];
  const db = watched(nativeDb(app.db), (moment) => moments.push(moment));
  const writer = createLogWriter({ database: async () => db, log: createLogger('silent') });
  const entry = logEntry(app, {});
  await writer.write([entry]);
  await writer.stop();
  const bodies = moments.indexOf(`${LOG_BODIES_COLLECTION} ended`);
  expect(bodies).toBeGreaterThanOrEqual(0);
  expect(moments.indexOf(`${LOGS_COLLECTION} begins`)).toBeGreaterThan(bodies);
  expect(await bodiesOf(entry.record._id)).toEqual([entry.record._id]);
});

test('a record whose bodies the database refuses is left out until it takes them, and then stored once', async () => {
  let isRefusing = true;
  const db = watched(nativeDb(app.db), (moment) => {
    if (isRefusing && moment === `${LOG_BODIES_COLLECTION} begins`) throw new Error('The disk is full.');
  });
  const writer = createLogWriter({ database: async () => db, log: createLogger('silent') });
  const entry = logEntry(app, {});
  await expect(writer.write([entry])).rejects.toThrow('The disk is full.');
  expect(await storedOf(entry.record._id)).toBeNull();
  isRefusing = false;
  await writer.write([entry]);
  await writer.stop();
  expect(await bodiesOf(entry.record._id)).toEqual([entry.record._id]);
});
