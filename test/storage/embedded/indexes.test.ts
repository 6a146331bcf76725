import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { errorOf, type Running, startServer } from './support.ts';

let running: Running;
let items: Collection<Document>;

beforeAll(async () => {
  running = await startServer({ ttlInterval: 50 });
});
afterAll(() => running.stop());
beforeEach(async () => {
  items = running.db.collection('items');
  await items.drop();
});

describe('definitions', () => {
  test('are listed as they were made, and dropped', async () => {
    await items.createIndex({ a: 1, b: -1 }, { unique: true });
    await items.createIndex({ c: 1 }, { name: 'seas', sparse: true });
    expect(await items.indexes()).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { a: 1, b: -1 }, name: 'a_1_b_-1', unique: true },
      { v: 2, key: { c: 1 }, name: 'seas', sparse: true },
    ]);
    await items.dropIndex('seas');
    await items.dropIndexes();
    expect(await items.indexes()).toHaveLength(1);
  });

  test('that exist already change nothing; those that differ are refused', async () => {
    await items.createIndex({ a: 1 });
    await items.createIndex({ a: 1 });
    expect(await items.indexes()).toHaveLength(2);
    expect((await errorOf(items.createIndex({ a: 1 }, { unique: true }))).code).toBe(86);
    expect((await errorOf(items.createIndex({ a: 1 }, { name: 'other' }))).code).toBe(85);
    expect((await errorOf(items.dropIndex('nobody'))).code).toBe(27);
    expect((await errorOf(items.dropIndex('_id_'))).code).toBe(72);
  });

  test.each<[Document, Document, number]>([
    [{ a: 'text' }, {}, 67],
    [{ a: '2dsphere' }, {}, 67],
    [{ a: 'hashed' }, {}, 67],
    [{ '$**': 1 }, {}, 67],
    [{ a: 1 }, { hidden: true }, 67],
    [{ a: 1, b: 1 }, { expireAfterSeconds: 5 }, 67],
    [{ a: 1 }, { collation: { locale: 'en', strength: 3 } }, 72],
  ])('%j with %j is refused with %d', async (key, options, code) => {
    expect((await errorOf(items.createIndex(key as never, options))).code).toBe(code);
  });

  test('on parallel arrays refuse the document', async () => {
    await items.createIndex({ a: 1, b: 1 });
    expect((await errorOf(items.insertOne({ a: [1, 2], b: [1, 2] }))).code).toBe(171);
    expect(await items.countDocuments()).toBe(0);
  });
});

describe('unique indexes', () => {
  test('name the key of the conflict', async () => {
    await items.createIndex({ 'user.mail': 1, team: 1 }, { unique: true });
    await items.insertOne({ user: { mail: 'a@x' }, team: 1 });
    const error = await errorOf(items.insertOne({ user: { mail: 'a@x' }, team: 1 }));
    expect(error).toMatchObject({
      code: 11000,
      keyPattern: { 'user.mail': 1, team: 1 },
      keyValue: { 'user.mail': 'a@x', team: 1 },
    });
    expect(error.message).toContain(
      'E11000 duplicate key error collection: sluice.items index: user.mail_1_team_1 dup key: { user.mail: "a@x", team: 1 }',
    );
  });

  test('hold for updates too, and a refused update changes nothing', async () => {
    await items.createIndex({ k: 1 }, { unique: true });
    await items.insertMany([
      { _id: 1, k: 1, n: 0 },
      { _id: 2, k: 2, n: 0 },
    ] as Document[]);
    expect((await errorOf(items.updateOne({ k: 2 }, { $set: { k: 1, n: 9 } }))).code).toBe(11000);
    expect(await items.findOne({ k: 2 })).toEqual({ _id: 2, k: 2, n: 0 });
    await items.updateOne({ k: 2 }, { $set: { k: 3 } });
    await items.insertOne({ k: 2 });
  });

  test('count null and missing as one key unless sparse or partial', async () => {
    await items.createIndex({ a: 1 }, { unique: true });
    await items.createIndex({ b: 1 }, { unique: true, sparse: true });
    await items.createIndex({ c: 1 }, { unique: true, partialFilterExpression: { live: true } });
    await items.insertMany([{ a: 1 }, { a: 2, c: 1, live: true }, { a: 3, c: 1 }, { a: 4, b: 1 }]);
    await items.insertOne({ a: null });
    expect((await errorOf(items.insertOne({ b: 9 }))).code).toBe(11000);
    expect((await errorOf(items.insertOne({ a: 5, b: 1 }))).code).toBe(11000);
    expect((await errorOf(items.insertOne({ a: 6, c: 1, live: true }))).code).toBe(11000);
    expect((await errorOf(items.updateOne({ a: 3 }, { $set: { live: true } }))).code).toBe(11000);
  });

  test('fold case under a collation', async () => {
    await items.createIndex({ mail: 1 }, { unique: true, collation: { locale: 'en', strength: 2 } });
    await items.insertOne({ mail: 'Ann@x' });
    expect((await errorOf(items.insertOne({ mail: 'ann@X' }))).code).toBe(11000);
    expect(
      await items.find({ mail: 'ANN@x' }).collation({ locale: 'en', strength: 2 }).toArray(),
    ).toHaveLength(1);
  });

  test('cannot be built over duplicates, and leave nothing behind', async () => {
    await items.insertMany([{ k: 1 }, { k: 1 }, { k: 2 }]);
    expect((await errorOf(items.createIndex({ k: 1 }, { unique: true }))).code).toBe(11000);
    expect(await items.indexes()).toHaveLength(1);
    await items.insertOne({ k: 1 });
    await items.createIndex({ k: 1 });
    expect(await items.countDocuments({ k: 1 })).toBe(3);
  });

  test('allow one element twice in one document, but not in two', async () => {
    await items.createIndex({ tags: 1 }, { unique: true });
    await items.insertOne({ tags: ['a', 'a', 'b'] });
    expect((await errorOf(items.insertOne({ tags: ['c', 'b'] }))).code).toBe(11000);
    expect(await items.countDocuments({ tags: 'c' })).toBe(0);
  });
});

test('an index built while others write holds every document', async () => {
  await items.insertMany(Array.from({ length: 6000 }, (_, n) => ({ n, k: n % 7 })));
  const writing = (async () => {
    for (let n = 6000; n < 6100; n++) {
      await items.insertOne({ n, k: n % 7 });
      await items.updateOne({ n: n - 6000 }, { $set: { k: 100 } });
    }
  })();
  await items.createIndex({ k: 1 });
  await writing;
  const byIndex = await items
    .find({ k: { $gte: 0 } })
    .hint('k_1')
    .toArray();
  expect(byIndex).toHaveLength(6100);
  expect(await items.countDocuments({ k: 100 })).toBe(100);
});

test('expired documents go away, others stay', async () => {
  await items.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
  const old = new Date(Date.now() - 120_000);
  await items.insertMany([
    ...Array.from({ length: 1500 }, () => ({ at: old })),
    { keep: 1, at: new Date() },
    { keep: 2 },
    { keep: 3, at: 'yesterday' },
  ]);
  while ((await items.countDocuments()) > 3) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await items.distinct('keep')).toEqual([1, 2, 3]);
});

test('of two indexes the one with fewer entries is walked, though the other fixes more fields', async () => {
  const [large, small] = ['large', 'small'].map((organisationId) => ({ organisationId, workspaceId: 'w' }));
  await items.createIndex({ organisationId: 1, workspaceId: 1 });
  // An order of its own tells which index was walked.
  await items.createIndex({ threadId: 1, n: -1 });
  await items.insertMany(Array.from({ length: 1200 }, (_, n) => ({ ...large, threadId: 'long', n })));
  await items.insertMany([1, 2, 3].map((n) => ({ ...large, threadId: 'short', n })));
  await items.insertMany([1, 2, 3].map((n) => ({ ...small, threadId: 'long', n })));
  const walked = async (filter: object) => (await items.find(filter).toArray()).map(({ n }) => n);
  expect(await walked({ threadId: 'short', ...large })).toEqual([3, 2, 1]);
  expect(await walked({ threadId: 'long', ...small })).toEqual([1, 2, 3]);
});
