import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Db, type Document, MongoClient } from 'mongodb';
import { errorOf, type Running, startServer } from './support.ts';

let running: Running;
let strict: MongoClient;
let db: Db;

beforeAll(async () => {
  running = await startServer();
  strict = await MongoClient.connect(running.server.uri, { serverApi: { version: '1', strict: true } });
  db = strict.db();
  await running.db.collection<Document>('items').insertMany([{ _id: 1 }, { _id: 2 }] as Document[]);
});
afterAll(async () => {
  await strict.close();
  await running.stop();
});

test('a strict client does all that the Stable API has', async () => {
  const items = db.collection<Document>('strict');
  await items.insertMany([{ a: 1 }, { a: 2 }, { a: 3 }]);
  await items.createIndex({ a: 1 });
  await items.updateOne({ a: 1 }, { $set: { b: 1 } });
  expect(await items.findOneAndDelete({ a: 3 })).toMatchObject({ a: 3 });
  expect(await items.find({}, { batchSize: 1 }).toArray()).toHaveLength(2);
  expect(await items.countDocuments()).toBe(2);
  expect(await items.estimatedDocumentCount()).toBe(2);
  expect(
    await items.aggregate([{ $lookup: { from: 'items', pipeline: [], as: 'all' } }]).toArray(),
  ).toHaveLength(2);
  await strict.bulkWrite([{ name: 'insertOne', namespace: `${db.databaseName}.strict`, document: {} }]);
  await items.drop();
});

describe('with apiStrict is refused, and changes nothing:', () => {
  test.each<[Document]>([
    [{ distinct: 'items', key: '_id' }],
    [{ buildInfo: 1 }],
    [{ renameCollection: 'x.items', to: 'x.other' }],
    [{ find: 'items', noCursorTimeout: true }],
    [{ aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {} }],
    [{ aggregate: 'items', pipeline: [{ $collStats: { count: {} } }], cursor: {} }],
    [{ aggregate: 'items', pipeline: [{ $facet: { x: [{ $indexStats: {} }] } }], cursor: {} }],
    [
      {
        aggregate: 'items',
        pipeline: [{ $unionWith: { coll: 'items', pipeline: [{ $indexStats: {} }] } }],
        cursor: {},
      },
    ],
  ])('%j', async (command) => {
    const { code, codeName } = await errorOf(db.command(command));
    expect({ code, codeName }).toEqual({ code: 323, codeName: 'APIStrictError' });
    expect(await running.db.collection('items').countDocuments()).toBe(2);
  });
});

test('a client that is not strict may do more', async () => {
  const { db } = running;
  const api = { apiVersion: '1', apiStrict: false };
  expect(await db.command({ distinct: 'items', key: '_id', ...api })).toMatchObject({ values: [1, 2] });
});

test.each<[Document, number]>([
  [{ apiVersion: '2' }, 322],
  [{ apiVersion: 1 }, 14],
  [{ apiStrict: true }, 4886600],
  [{ apiVersion: '1', apiStrict: 'yes' }, 14],
])('%j is refused with %d', async (api, code) => {
  expect((await errorOf(running.db.command({ find: 'items', ...api }))).code).toBe(code);
});
