import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { temporaryDirectory } from '../support.ts';

// A process of its own: the readers of other stores have the same name.
const directory = temporaryDirectory();
let store: ChildProcess;
let client: MongoClient;
let items: Collection<Document>;

beforeAll(async () => {
  const file = new URL('../../../support/database-process.ts', import.meta.url).pathname;
  store = fork(file, [directory.path, JSON.stringify({ readerIdleLimit: 40 })]);
  const [uri] = await once(store, 'message');
  client = await MongoClient.connect(uri as string);
  items = client.db().collection('items');
  await items.insertMany(Array.from({ length: 3000 }, (_, n) => ({ n, pad: 'x'.repeat(100) })));
});
afterAll(async () => {
  await client.close();
  store.kill('SIGKILL');
  await once(store, 'exit');
  directory.remove();
});

/** A filter that only a reader takes on. */
const slow = { $expr: { $gte: ['$n', 0] } };

/** Of the store's process, by the names that the kernel knows them by. */
async function readerThreads(): Promise<number> {
  const tasks = await readdir(`/proc/${store.pid}/task`);
  const names = await Promise.all(
    tasks.map((task) => readFile(`/proc/${store.pid}/task/${task}/comm`, 'utf8').catch(() => '')),
  );
  return names.filter((name) => name.startsWith('embedded-reader')).length;
}

async function untilNoneIsLeft(): Promise<void> {
  while ((await readerThreads()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a reader that nobody needs is ended, and the next statement gets a new one', async () => {
  for (let round = 0; round < 3; round++) {
    expect(await items.countDocuments(slow)).toBe(3000);
    expect(await readerThreads()).toBeGreaterThan(0);
    await untilNoneIsLeft();
  }
});

onLinux('a reader whose cursor is open stays', async () => {
  const cursor = items.find(slow, { batchSize: 2 });
  await cursor.next();
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(await cursor.toArray()).toHaveLength(2999);
  await untilNoneIsLeft();
});

test('statements that come while readers end are all answered', async () => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
  const client = async () => {
    for (let round = 0; round < 10; round++) {
      await pause();
      expect(await items.countDocuments(slow)).toBe(3000);
    }
  };
  await Promise.all([client(), client(), client()]);
});
