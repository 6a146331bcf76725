import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { errorOf, type Running, startServer } from './support.ts';

let running: Running;
let items: Collection<Document>;
const first = { _id: 1, a: 1, list: [1, 2] } as Document;

beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.stop());
beforeEach(async () => {
  items = running.db.collection('items');
  await items.drop();
  await items.createIndex({ a: 1, b: 1 });
  await items.insertOne(first);
});

const change = { $set: { changed: true } };
const namespace = { ns: 'sluice.items' };
const concern = (writeConcern: unknown): Document => ({ insert: 'items', documents: [{}], writeConcern });
const statement = (fields: Document): Document => ({
  update: 'items',
  updates: [{ q: {}, u: change, ...fields }],
});
const bulk = (...ops: Document[]): Document => ({ bulkWrite: 1, ops, nsInfo: [namespace] });
const index = (fields: Document): Document => ({
  createIndexes: 'items',
  indexes: [{ key: { n: 1 }, name: 'n', ...fields }],
});
const modify = (fields: Document): Document => ({ findAndModify: 'items', update: change, ...fields });

describe('a command that is refused changes nothing:', () => {
  test.each<[Document, number]>([
    // What a statement needs.
    [{ update: 'items', updates: [{ u: change }] }, 40414],
    [{ update: 'items', updates: [{ q: {} }] }, 40414],
    [{ update: 'items' }, 40414],
    [{ update: 'items', updates: [] }, 16],
    [{ delete: 'items', deletes: [{ limit: 1 }] }, 40414],
    [{ delete: 'items', deletes: [{ q: {} }] }, 40414],
    [{ delete: 'items', deletes: [] }, 16],
    [{ insert: 'items', documents: [] }, 16],
    [{ update: 'items', updates: [{ q: {}, u: change }, { u: change }] }, 40414],
    [bulk(), 16],
    [bulk({ delete: 0 }), 40414],
    [bulk({ update: 0, filter: {} }), 40414],
    [bulk({ insert: 0, document: {} }, { insert: 0 }), 40414],
    [bulk({ insert: 0, document: {}, frobnicate: 1 }), 40415],
    [bulk({ delete: 0, filter: {}, sort: { a: 1 } }), 40415],
    [{ ...bulk({ insert: 0, document: {} }), cursor: { frobnicate: 1 } }, 40415],
    // Flags and numbers.
    [statement({ multi: 1 }), 14],
    [statement({ upsert: 'yes' }), 14],
    [statement({ arrayFilters: {} }), 14],
    [{ insert: 'items', documents: [{}], ordered: 0 }, 14],
    [{ insert: 'items', documents: [{}], bypassDocumentValidation: 'x' }, 14],
    [{ find: 'items', singleBatch: 'x' }, 14],
    [{ find: 'items', allowDiskUse: 1 }, 14],
    [{ find: 'items', filter: [] }, 14],
    [{ distinct: 'items' }, 40414],
    [{ killCursors: 'items', cursors: [Number.NaN] }, 14],
    [modify({ new: 'x' }), 14],
    [{ findAndModify: 'items', remove: {} }, 14],
    // What every command has.
    [concern(3), 14],
    [concern({ w: 'nearest' }), 2],
    [concern({ w: { dc: 1 } }), 2],
    [concern({ w: true }), 9],
    [concern({ w: 51 }), 9],
    [concern({ frobnicate: 1 }), 40415],
    [{ find: 'items', readConcern: 'local' }, 14],
    [{ find: 'items', readConcern: { frobnicate: 1 } }, 40415],
    [{ find: 'items', maxTimeMS: 1.5 }, 2],
    // Projections of a change.
    [modify({ fields: { a: 1, b: 0 } }), 31254],
    [modify({ fields: { a: { $divide: ['$a', 0] } } }), 16020],
    [modify({ query: { _id: 1 }, fields: { 'list.$': 1 } }), 51246],
    // Indexes.
    [index({ expireAfterSeconds: Number.NaN }), 67],
    [index({ v: 3 }), 67],
    [index({ unique: 'x' }), 14],
    [index({ name: '*' }), 2],
    [index({ partialFilterExpression: { n: { $ne: 1 } } }), 67],
    [index({ partialFilterExpression: { $or: [{ n: 1 }, { n: { $exists: false } }] } }), 67],
    [index({ partialFilterExpression: { n: /x/ } }), 67],
    [{ ...index({}), commitQuorum: 'majority' }, 2],
    [{ collMod: 'items', index: { name: '_id_', expireAfterSeconds: 1 } }, 72],
    [{ collMod: 'items', index: { name: 'a_1_b_1', expireAfterSeconds: 1 } }, 72],
    [{ collMod: 'items', index: { name: 'a_1_b_1', hidden: true } }, 72],
    [{ collMod: 'items', index: { name: 'a_1_b_1', prepareUnique: true } }, 72],
    [{ create: 'other', collation: { locale: 'en', strength: 2 } }, 238],
    [{ create: 'other', changeStreamPreAndPostImages: { enabled: true } }, 238],
    [{ aggregate: 'items', pipeline: [{ $collStats: { count: {} } }], cursor: {} }, 238],
    [{ validate: 'items' }, 59],
    // Collections.
    [{ renameCollection: namespace.ns, to: namespace.ns, dropTarget: true }, 20],
    [{ renameCollection: namespace.ns }, 40414],
  ])('%j with %d', async (command, code) => {
    const isAdmin = 'bulkWrite' in command || 'renameCollection' in command;
    const database = isAdmin ? running.client.db('admin') : running.db;
    expect((await errorOf(database.command(command))).code).toBe(code);
    expect(await items.find().toArray()).toEqual([first]);
    expect((await items.indexes()).map(({ name }) => name)).toEqual(['_id_', 'a_1_b_1']);
    expect(await items.indexes()).not.toContainEqual(expect.objectContaining({ expireAfterSeconds: 1 }));
  });

  test.each<[Document, number]>([
    [{ $out: { db: 'sluice', coll: 'made', timeseries: { timeField: 't' } } }, 238],
    [{ $out: { db: 'sluice', coll: 'made', frobnicate: 1 } }, 40415],
    [{ $merge: { into: 'made', frobnicate: 1 } }, 40415],
    [{ $lookup: { from: 'items', as: 'x', localField: 'a', foreignField: 'a', frobnicate: 1 } }, 9],
    [{ $unionWith: { coll: 'items', frobnicate: 1 } }, 40415],
    [{ $unwind: { path: '$list', frobnicate: 1 } }, 28811],
    [{ $unwind: { path: '$list', preserveNullAndEmptyArrays: 1 } }, 28809],
    [{ $unwind: { path: '$list', includeArrayIndex: '' } }, 28810],
    [{ $bucket: { groupBy: '$a', boundaries: [0, 5], frobnicate: 1 } }, 40197],
  ])('the stage %j with %d', async (stage, code) => {
    expect((await errorOf(items.aggregate([stage]).toArray())).code).toBe(code);
    expect(await running.db.listCollections({ name: 'made' }).toArray()).toEqual([]);
  });

  test('an aggregate with an unknown cursor option', async () => {
    const command = { aggregate: 'items', pipeline: [], cursor: { frobnicate: 1 } };
    expect((await errorOf(running.db.command(command))).code).toBe(40415);
  });
});

test('a number is a flag where a server takes one, and null is no value', async () => {
  const { value } = await running.db.command(modify({ new: 1, upsert: null }));
  expect(value).toMatchObject({ changed: true });
});

test('an index of version 1 is listed as one', async () => {
  await running.db.command(index({ v: 1, partialFilterExpression: { $and: [{ n: { $exists: true } }] } }));
  expect(await items.indexes()).toContainEqual(expect.objectContaining({ name: 'n', v: 1 }));
});

describe('a reply', () => {
  const length = 10_000;
  const long = (n: number): string => `${n} ${'x'.repeat(1000)}`;
  const documents = Array.from({ length }, (_, n) => ({ _id: long(n) }) as unknown as Document);

  test('names every refused statement, and keeps its words to about a megabyte', async () => {
    await items.insertMany(documents);
    const { writeErrors } = await errorOf(items.insertMany(documents, { ordered: false }));
    const refused = writeErrors as { index: number; code: number; errmsg: string }[];
    expect(refused.map(({ index }) => index)).toEqual(documents.map((_, n) => n));
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([11000]));
    expect(refused[0]?.errmsg).toContain('E11000');
    expect(refused.at(-1)?.errmsg).toBe('');
  });

  test('of a bulkWrite does so too, in batches', async () => {
    await items.insertMany(documents);
    const ops = documents.map((document) => ({ insert: 0, document }));
    const admin = running.client.db('admin');
    const opened = await admin.command({ ...bulk(...ops), ordered: false, cursor: { batchSize: 9000 } });
    expect(opened).toMatchObject({ nErrors: length, nInserted: 0 });
    expect(opened.cursor.firstBatch).toHaveLength(9000);
    const more = await admin.command({ getMore: opened.cursor.id, collection: '$cmd.bulkWrite' });
    expect(more.cursor.nextBatch.at(-1)).toMatchObject({ ok: 0, idx: length - 1, code: 11000, errmsg: '' });
  });

  test('with distinct values beyond 16 MB is refused', async () => {
    for (let n = 0; n < 5; n++) await items.insertOne({ big: `${n}${'x'.repeat(4_000_000)}` });
    expect((await errorOf(items.distinct('big'))).code).toBe(17217);
  });
});

describe('maxTimeMS', () => {
  const many = (): Document[] => Array.from({ length: 30_000 }, (_, n) => ({ n }));

  test('ends a long insert, a long list of updates and a long index build', async () => {
    expect((await errorOf(items.insertMany(many(), { maxTimeMS: 1 }))).code).toBe(50);
    await items.insertMany(many());
    const updates = many().map(({ n }) => ({ q: { _id: n }, u: change }));
    expect((await errorOf(running.db.command({ update: 'items', updates, maxTimeMS: 1 }))).code).toBe(50);
    expect((await errorOf(running.db.command({ ...index({}), maxTimeMS: 1 }))).code).toBe(50);
    expect((await items.indexes()).map(({ name }) => name)).not.toContain('n');
  });
});

test('an aggregate with an empty first batch works in a reader thread', async () => {
  const pipeline = [{ $group: { _id: '$a' } }];
  const { cursor } = await running.db.command({ aggregate: 'items', pipeline, cursor: { batchSize: 0 } });
  const { metrics } = await running.db.command({ serverStatus: 1 });
  expect(metrics.cursor.open.total).toBe(0);
  const { nextBatch } = (await running.db.command({ getMore: cursor.id, collection: 'items' })).cursor;
  expect(nextBatch).toEqual([{ _id: 1 }]);
});
