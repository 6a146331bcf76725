import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { startEmbedded } from '../../../../src/storage/embedded/index.ts';
import { type ServerProcess, startProcess } from '../fixtures/process.ts';
import { temporaryDirectory } from '../support.ts';

/** Twice the 4000 pages of 16 KB from which on the writer itself sees to the log. */
const largestLog = 2 * 4000 * 16_408;
let directory: { path: string; remove(): void };
let server: ServerProcess;
let client: MongoClient;
let items: Collection<Document>;

beforeEach(async () => {
  directory = temporaryDirectory();
  server = await startProcess(directory.path);
  client = await MongoClient.connect(server.uri, { retryWrites: false, serverSelectionTimeoutMS: 1000 });
  items = client.db().collection('items');
  await items.createIndex({ n: 1 }, { unique: true });
});
afterEach(async () => {
  await client.close();
  await server.kill();
  directory.remove();
});

const sizeOf = (name: string): number =>
  statSync(join(directory.path, name), { throwIfNoEntry: false })?.size ?? 0;

/** Eight writers, each a batch at a time, until `megabytes` are acknowledged or the server is gone. */
async function write(megabytes: number): Promise<{ acknowledged: number[]; longest: number }> {
  const acknowledged: number[] = [];
  let [next, longest] = [0, 0];
  const writer = async (): Promise<void> => {
    while (next < megabytes * 100) {
      const numbers = Array.from({ length: 50 }, () => next++);
      await items.insertMany(numbers.map((n) => ({ n, pad: `${n} `.padEnd(10_000, 'x') })));
      acknowledged.push(...numbers);
      longest = Math.max(longest, sizeOf('data.sqlite-wal'));
    }
  };
  await Promise.all(
    Array.from({ length: 8 }, () =>
      writer().catch((error) => {
        if (server.child.signalCode === null && !server.child.killed) throw error;
      }),
    ),
  );
  return { acknowledged, longest };
}

test('the log stays short under steady writing, also while a scan is read', async () => {
  const scanning = (async () => {
    for (let found = 0; found < 12_000; ) found = await items.countDocuments({ pad: /x$/ });
  })();
  const { acknowledged, longest } = await write(160);
  await scanning;
  expect(acknowledged).toHaveLength(16_000);
  expect(sizeOf('data.sqlite')).toBeGreaterThan(60e6);
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(largestLog);
});

test('a kill between and in the middle of checkpoints loses nothing, and the next start finds everything', async () => {
  const writing = write(1000);
  // More than one checkpoint has been made when the data file is this large.
  while (sizeOf('data.sqlite') < 60e6) await new Promise((resolve) => setTimeout(resolve, 10));
  await server.kill();
  await client.close();
  const { acknowledged } = await writing;
  expect(acknowledged.length).toBeGreaterThan(1000);
  expect(server.complaints()).toBe('');

  const again = await startEmbedded({ directory: directory.path });
  const reopened = await MongoClient.connect(again.uri);
  const stored = reopened.db().collection<Document>('items');
  const found = await stored.find({}, { projection: { _id: 0 } }).toArray();
  expect(found.filter(({ n, pad }) => !pad.startsWith(`${n} `))).toEqual([]);
  const numbers = new Set(found.map(({ n }) => n));
  expect(acknowledged.filter((n) => !numbers.has(n))).toEqual([]);
  expect(await stored.countDocuments({ n: { $gte: 0 } }, { hint: 'n_1' })).toBe(found.length);
  await reopened.close();
  await again.stop();
  const file = new DatabaseSync(join(directory.path, 'data.sqlite'), { readOnly: true });
  expect(file.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  file.close();
});
