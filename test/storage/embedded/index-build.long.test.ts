import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { cleared, entriesOf, nothing } from './fixtures/entries.ts';
import { errorOf, type Running, startServer } from './support.ts';

const total = 8000;
/** Keys from here on are those of new documents. */
const unused = 100_000;
let running: Running;
let items: Collection<Document>;

const make = (n: number): Document => ({
  _id: n,
  key: n,
  group: n % 100,
  tags: [n % 50, 50 + (n % 7)],
  name: n % 2 === 0 ? `Name ${n}` : `NAME ${n}`,
  ...(n % 3 === 0 ? { rare: n % 30 } : {}),
  live: n % 4 === 0,
});

beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.stop());
beforeEach(async () => {
  items = running.db.collection('items');
  await items.drop();
  await fill(items, 0, total);
});

async function fill(collection: Collection<Document>, first: number, end: number): Promise<void> {
  for (let n = first; n < end; n += 4000)
    await collection.insertMany(Array.from({ length: 4000 }, (_, i) => make(n + i)));
}

const listed = async (): Promise<unknown[]> => (await items.indexes()).map(({ name }) => name);

/** Does something while ten writers, each with documents of its own, are at work. */
async function whileWriting<Result>(work: () => Promise<Result>): Promise<Result> {
  let ended = false;
  const each = total / 10;
  const writers = Array.from({ length: 10 }, async (_, writer) => {
    for (let round = 0; !ended; round++) {
      // From both ends, since the build comes from the beginning.
      const at = round % 2 === 0 ? round : each * 1000 - round;
      const [_id, next, other] = [at, at + 1, at + 2].map((n) => ((n % each) * 10 + writer) as never);
      const fresh = unused + round * 10 + writer;
      await new Promise((resolve) => setTimeout(resolve, 10));
      await items.insertOne(make(fresh));
      await items.updateOne({ _id }, { $set: { group: 200 + writer, rare: round }, $pop: { tags: 1 } });
      await items.updateOne({ _id }, { $push: { tags: round }, $inc: { unrelated: 1 } } as Document);
      await items.deleteOne({ _id: next });
      await items.replaceOne({ _id: other }, { ...make(fresh), _id: other, key: -fresh, live: true });
    }
  });
  const result = await work().finally(() => {
    ended = true;
  });
  await Promise.all(writers);
  return result;
}

/** How many of the first the second does not have. */
const without = (first: Set<string>, second: Set<string>): number =>
  [...first].filter((entry) => !second.has(entry)).length;

/** Indexes are right when they have the entries that they have after being built anew while nothing is written. */
async function expectRight(...definitions: [Document, Document][]): Promise<void> {
  const entries = (): Map<string, Set<string>> =>
    new Map(definitions.map(([, { name }]) => [name, new Set(entriesOf(running.directory, 'items', name))]));
  const found = entries();
  await items.dropIndexes();
  await Promise.all(definitions.map(([key, options]) => items.createIndex(key as never, options)));
  for (const [name, wanted] of entries()) {
    const has = found.get(name) ?? new Set();
    const [extra, missing] = [without(has, wanted), without(wanted, has)];
    expect({ name, extra, missing }).toEqual({ name, extra: 0, missing: 0 });
  }
}

const kinds: [Document, Document][] = [
  [{ group: 1 }, { name: 'plain' }],
  [{ key: 1 }, { name: 'unique', unique: true }],
  [{ tags: 1, group: 1 }, { name: 'multikey' }],
  [{ rare: 1 }, { name: 'sparse', sparse: true }],
  [{ group: 1 }, { name: 'partial', partialFilterExpression: { live: true } }],
  [{ group: -1, key: 1 }, { name: 'descending' }],
  [{ name: 1 }, { name: 'collation', collation: { locale: 'en', strength: 2 } }],
];

test('indexes of every kind that are built while others write hold what a scan finds', async () => {
  await fill(items, total, 20_000);
  await whileWriting(() =>
    Promise.all(kinds.map(([key, options]) => items.createIndex(key as never, options))),
  );
  expect(await items.countDocuments({ unrelated: { $gte: 1 } })).toBeGreaterThan(20);
  const projection = { _id: 1 };
  const ids = (found: Document[]): unknown[] => found.map(({ _id }) => _id).sort();
  const queries: [string, Document][] = [
    ['plain', { group: { $gte: 0 } }],
    ['multikey', { tags: { $gte: 0 } }],
    ['unique', { key: { $gte: -1e9 } }],
    ['partial', { group: { $gte: 0 }, live: true }],
  ];
  for (const [hint, filter] of queries) {
    const scanned = await items.find(filter, { projection }).hint({ $natural: 1 }).toArray();
    expect(ids(await items.find(filter, { projection }).hint(hint).toArray())).toEqual(ids(scanned));
  }
  await expectRight(...kinds);
  expect(await cleared(running.directory)).toEqual(nothing);
}, 120_000);

test('an index holds every document when all are written during the build', async () => {
  const building = items.createIndex({ tags: 1 }, { name: 'tags' });
  await Promise.all([
    items.updateMany({}, { $set: { touched: true } }),
    items.updateMany({ group: { $lt: 50 } }, { $push: { tags: 999 } } as Document),
  ]);
  await building;
  expect(await items.countDocuments({ tags: 999 }, { hint: 'tags' })).toBe(total / 2);
  await expectRight([{ tags: 1 }, { name: 'tags' }]);
});

test('a unique build that meets a duplicate fails, leaves nothing, and can be done once the duplicate is gone', async () => {
  await items.insertMany([{ key: -1 }, { key: -1, doubled: true }]);
  const error = await whileWriting(() => errorOf(items.createIndex({ key: 1 }, { unique: true })));
  expect(error).toMatchObject({ code: 11000, keyPattern: { key: 1 }, keyValue: { key: -1 } });
  expect(await listed()).toEqual(['_id_']);
  expect(await cleared(running.directory)).toEqual(nothing);
  await items.deleteOne({ doubled: true });
  await items.createIndex({ key: 1 }, { unique: true });
  await expectRight([{ key: 1 }, { name: 'key_1', unique: true }]);
});

test('parallel arrays stop a build', async () => {
  await items.insertOne({ tags: [1, 2], group: [1, 2] });
  expect((await errorOf(items.createIndex({ tags: 1, group: 1 }))).code).toBe(171);
  expect(await listed()).toEqual(['_id_']);
  expect(await cleared(running.directory)).toEqual(nothing);
});

describe('clients that ask for the same index at once', () => {
  test('get one', async () => {
    await Promise.all(Array.from({ length: 5 }, () => items.createIndex({ group: 1 })));
    expect(await listed()).toEqual(['_id_', 'group_1']);
    await expectRight([{ group: 1 }, { name: 'group_1' }]);
    const empty = running.db.collection('empty');
    await empty.drop();
    await Promise.all(Array.from({ length: 5 }, () => empty.createIndex({ group: 1 })));
    expect(await empty.indexes()).toHaveLength(2);
  });

  test('all hear that it failed', async () => {
    await items.insertOne({ _id: -1 as never, key: total - 1 });
    const asked = Array.from({ length: 3 }, () => errorOf(items.createIndex({ key: 1 }, { unique: true })));
    expect((await Promise.all(asked)).map(({ code }) => code)).toEqual([11000, 11000, 11000]);
  });

  test('and differ in its options get it or hear of the conflict', async () => {
    const outcomes = await Promise.allSettled([
      items.createIndex({ key: 1 }),
      items.createIndex({ key: 1 }, { unique: true }),
    ]);
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason.code] : [],
    );
    expect(refused).toEqual([86]);
    expect(await listed()).toEqual(['_id_', 'key_1']);
  });
});

describe('a build whose ground is taken away', () => {
  test.each<[string, (other: Collection<Document>) => Promise<unknown>]>([
    ['collection is dropped', () => items.drop()],
    ['indexes are dropped', () => items.dropIndexes()],
    ['collection is replaced', (other) => other.rename('items', { dropTarget: true })],
  ])('because its %s fails and leaves nothing', async (_, take) => {
    const other = running.db.collection<Document>('other');
    await other.insertOne({ tags: [1] });
    const building = errorOf(items.createIndex({ tags: 1 }));
    await items.findOne({ _id: 1 as never });
    await take(other);
    expect((await building).code).toBe(276);
    expect(await cleared(running.directory)).toEqual(nothing);
    await items.createIndex({ tags: 1 });
    await items.insertOne({ tags: [1, 2] });
    await expectRight([{ tags: 1 }, { name: 'tags_1' }]);
  });
});

test('a collection is not renamed while an index is built on it', async () => {
  const building = items.createIndex({ tags: 1 });
  await items.findOne({ _id: 1 as never });
  expect((await errorOf(items.rename('renamed'))).code).toBe(12587);
  await building;
  await expectRight([{ tags: 1 }, { name: 'tags_1' }]);
});

test('a build is finished when the client that asked for it goes away', async () => {
  const client = await MongoClient.connect(running.server.uri);
  const asked = errorOf(client.db().collection('items').createIndex({ tags: 1 }));
  await items.findOne({ _id: 1 as never });
  await client.close(true);
  expect((await asked).message).toMatch(/closed/);
  while (!(await listed()).includes('tags_1')) await new Promise((resolve) => setTimeout(resolve, 20));
  await expectRight([{ tags: 1 }, { name: 'tags_1' }]);
});

test('an index that is finished while a dropped collection is cleared away stays whole', async () => {
  const doomed = running.db.collection<Document>('doomed');
  await fill(doomed, 0, 20_000);
  await items.deleteMany({ _id: { $gte: 2000 as never } });
  const building = items.createIndex({ tags: 1 });
  await items.findOne({ _id: 1 as never });
  await doomed.drop();
  await building;
  expect(await cleared(running.directory)).toEqual(nothing);
  await expectRight([{ tags: 1 }, { name: 'tags_1' }]);
});
