import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type Collection, type Document, MinKey, MongoClient, MongoServerError } from 'mongodb';
import { startEmbedded } from '../../../../src/storage/embedded/index.ts';
import { rounds } from '../../../support/long.ts';
import { Ledger } from '../fixtures/ledger.ts';
import { startProcess } from '../fixtures/process.ts';
import { Writer } from '../fixtures/writers.ts';
import { seededRandom, temporaryDirectory } from '../support.ts';

const noRetries = { retryReads: false, retryWrites: false, maxPoolSize: 40 };
const kills = rounds(5, 20);
const writers = 30;
const indexes: Document[] = [{ version: 1 }, { group: 1, version: -1 }, { tags: 1 }];
const nameOf = (key: Document): string =>
  Object.entries(key)
    .map(([field, direction]) => `${field}_${direction}`)
    .join('_');

/** The large statement that is under way at the kill: an index build, then a drop of it, then a change of all. */
function largeStatement(items: Collection<Document>, ledger: Ledger, round: number): Promise<unknown> {
  const key = indexes[Math.floor(round / 2) % indexes.length] as Document;
  const name = nameOf(key);
  if (round % 2 === 0) return ledger.changeIndex(name, true, () => items.createIndex(key));
  if (round % 4 === 3) return items.updateMany({ group: { $gte: 0 } }, { $set: { round } });
  return ledger.changeIndex(name, false, async () => {
    if ((await items.indexes()).some((index) => index.name === name)) await items.dropIndex(name);
  });
}

/** Lets writers write until the process is killed, at a moment that nobody chose. */
async function writeAndKill(
  directory: string,
  ledger: Ledger,
  round: number,
  random: () => number,
): Promise<void> {
  const server = await startProcess(directory);
  const client = await MongoClient.connect(server.uri, noRetries);
  const items = client.db().collection<Document>('items');
  let killed = false;
  const untilDeath = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => {
      // Lost connections are what a kill looks like; an error that the server sent is a fault of the server.
      if (!killed || (error instanceof MongoServerError && typeof error.code === 'number')) throw error;
    });
  await ledger.changeIndex('key_1', true, () => items.createIndex({ key: 1 }, { unique: true }));
  const running = Array.from({ length: writers }, (_, writer) =>
    untilDeath(new Writer(items, ledger, `${round}:${writer}`, seededRandom(random() * 2 ** 31)).run()),
  );
  await sleep(100 + random() * 200);
  running.push(untilDeath(largeStatement(items, ledger, round)));
  await sleep(random() * 100);
  killed = true;
  await server.kill();
  expect(server.complaints()).toBe('');
  const outcomes = Promise.allSettled(running);
  // What came too late for a connection waits for another server until the client is closed.
  await Promise.race([outcomes, sleep(300)]);
  await client.close();
  for (const outcome of await outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** The keys and versions that a query finds; no document comes twice. */
async function read(
  items: Collection<Document>,
  filter: Document,
  hint?: string,
): Promise<Map<string, number>> {
  const found = await items
    .find(
      { ...filter, key: { $ne: 'counter' } },
      { projection: { _id: 0, key: 1, version: 1 }, ...(hint ? { hint } : {}) },
    )
    .toArray();
  const stored = new Map(found.map(({ key, version }) => [key as string, version as number]));
  expect(stored.size).toBe(found.length);
  return stored;
}

/** Everything acknowledged is there, nothing else is, and every index leads to exactly the documents. */
async function verify(directory: string, ledger: Ledger): Promise<void> {
  const server = await startEmbedded({ directory });
  const client = await MongoClient.connect(server.uri);
  const items = client.db().collection<Document>('items');
  const stored = await read(items, {});
  expect(ledger.compare(stored)).toEqual([]);

  const counter = (await items.findOne({ key: 'counter' }))?.n ?? 0;
  expect(counter).toBeGreaterThanOrEqual(ledger.counter.acknowledged);
  expect(counter).toBeLessThanOrEqual(ledger.counter.attempted);
  ledger.counter.acknowledged = ledger.counter.attempted = counter;
  expect(await items.estimatedDocumentCount()).toBe(stored.size + (counter > 0 ? 1 : 0));

  const listed = (await items.indexes()).map(({ name, key }) => ({
    name: name as string,
    key: key as Document,
  }));
  for (const [name, present] of ledger.indexes) {
    expect({ name, present: listed.some((index) => index.name === name) }).toEqual({ name, present });
  }
  for (const { name, key } of listed) {
    const [first = ''] = Object.keys(key);
    expect({ name, found: await read(items, { [first]: { $gte: new MinKey() } }, name) }).toEqual({
      name,
      found: stored,
    });
  }
  await expectFree(items, ledger.deleted.slice(-50));
  await client.close();
  await server.stop();
  expectIntact(directory);
}

/** A unique index keeps nothing of what was deleted: the keys can be used again. */
async function expectFree(items: Collection<Document>, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  await items.insertMany(keys.map((key) => ({ key })));
  await items.deleteMany({ key: { $in: keys } });
}

function expectIntact(directory: string): void {
  const file = new DatabaseSync(join(directory, 'data.sqlite'), { readOnly: true });
  expect(file.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  file.close();
}

test(`nothing acknowledged is lost in ${kills} kills under ${writers} writers`, async () => {
  const seed = randomInt(2 ** 31);
  const random = seededRandom(seed);
  const directory = temporaryDirectory();
  const ledger = new Ledger();
  for (let round = 0; round < kills; round++) {
    try {
      await writeAndKill(directory.path, ledger, round, random);
      await verify(directory.path, ledger);
    } catch (cause) {
      throw new Error(`round ${round} of seed ${seed}: ${(cause as Error).message}`, { cause });
    }
  }
  expect(ledger.size).toBeGreaterThan(rounds(250, 1000));
  expect(ledger.deleted.length).toBeGreaterThan(100);
  directory.remove();
}, 300_000);

test('an index build that is killed midway leaves the old catalogue, and can be done again', async () => {
  const directory = temporaryDirectory();
  const { kill, uri } = await startProcess(directory.path);
  const client = await MongoClient.connect(uri, noRetries);
  const items = client.db().collection<Document>('items');
  for (let n = 0; n < 20; n++)
    await items.insertMany(Array.from({ length: 1000 }, (_, i) => ({ n: n * 1000 + i })));
  const building = items.createIndex({ n: 1 }).catch(() => 'died');
  // The build is under way once other commands are answered in between.
  for (let i = 0; i < 3; i++) await items.findOne();
  await kill();
  await client.close();
  await building;

  const server = await startEmbedded({ directory: directory.path });
  const again = await MongoClient.connect(server.uri);
  const reopened = again.db().collection<Document>('items');
  const outcome = await building;
  expect((await reopened.indexes()).map(({ name }) => name)).toEqual(
    outcome === 'died' ? ['_id_'] : ['_id_', 'n_1'],
  );
  await reopened.createIndex({ n: 1 });
  expect(
    await reopened
      .find({ n: { $gte: 0 } })
      .hint('n_1')
      .toArray(),
  ).toHaveLength(20_000);
  await again.close();
  await server.stop();
  directory.remove();
}, 120_000);
