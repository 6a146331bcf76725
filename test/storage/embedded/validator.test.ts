import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { startEmbedded } from '../../../src/storage/embedded/index.ts';
import { errorOf, type Running, startServer, temporaryDirectory } from './support.ts';

let running: Running;
let items: Collection<Document>;

const validator = { age: { $type: 'number', $gte: 0 } };
const bad = { _id: 'bad', age: 'old' } as unknown as Document;
const good = { _id: 'good', age: 1 } as unknown as Document;

beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.stop());
beforeEach(async () => {
  await running.db.dropCollection('items');
  items = await running.db.createCollection<Document>('items', { validator });
  await items.insertOne(good);
});

const modify = (change: Document): Promise<Document> => running.db.command({ collMod: 'items', ...change });

/** The statement is refused because of the document with this _id, and nothing was written. */
async function expectRefused(statement: Promise<unknown>, failingDocumentId: unknown): Promise<void> {
  const before = await items.find().toArray();
  const error = await errorOf(statement);
  expect(error).toMatchObject({ code: 121, message: expect.stringContaining('failed validation') });
  const [write] = (error.writeErrors as { err: Document }[] | undefined) ?? [];
  expect((error.errInfo ?? write?.err.errInfo) as Document).toMatchObject({ failingDocumentId });
  expect(await items.find().toArray()).toEqual(before);
}

describe('a validator refuses', () => {
  const statements: [string, () => Promise<unknown>, string][] = [
    ['insertOne', () => items.insertOne({ ...bad }), 'bad'],
    ['insertMany', () => items.insertMany([{ ...bad }, { _id: 'next', age: 1 } as never]), 'bad'],
    ['updateOne', () => items.updateOne({ age: 1 }, { $set: { age: -1 } }), 'good'],
    ['updateMany', () => items.updateMany({}, { $unset: { age: 1 } }), 'good'],
    ['a pipeline update', () => items.updateOne({}, [{ $set: { age: 'x' } }]), 'good'],
    ['replaceOne', () => items.replaceOne({ age: 1 }, { name: 'x' }), 'good'],
    ['findOneAndUpdate', () => items.findOneAndUpdate({}, { $inc: { age: -5 } }), 'good'],
    ['findOneAndReplace', () => items.findOneAndReplace({}, { name: 'x' }), 'good'],
    [
      'an upsert',
      () => items.updateOne({ _id: 'new' as never }, { $set: { n: 1 } }, { upsert: true }),
      'new',
    ],
    ['bulkWrite', () => items.bulkWrite([{ insertOne: { document: { ...bad } } }]), 'bad'],
  ];
  test.each(statements)('%s', (_, statement, id) => expectRefused(statement(), id));

  test('one document of an unordered batch, and takes the others', async () => {
    const documents = [{ age: 2 }, { age: 'x' }, { age: 3 }];
    const error = await errorOf(items.insertMany(documents, { ordered: false }));
    expect(error).toMatchObject({ code: 121, insertedCount: 2 });
    expect(await items.distinct('age')).toEqual([1, 2, 3]);
  });
});

test('bypassDocumentValidation lets every write pass', async () => {
  const bypassDocumentValidation = true;
  await items.insertOne({ ...bad }, { bypassDocumentValidation });
  await items.updateOne({ age: 1 }, { $set: { age: -1 } }, { bypassDocumentValidation });
  await items.findOneAndUpdate({ age: -1 }, { $set: { age: -2 } }, { bypassDocumentValidation });
  await items.bulkWrite([{ replaceOne: { filter: { age: -2 }, replacement: { age: -3 } } }], {
    bypassDocumentValidation,
  });
  expect(await items.distinct('age')).toEqual([-3, 'old']);
});

test('a validator that comes later concerns what is written from then on, and an empty one nothing', async () => {
  await modify({ validator: {} });
  await items.insertOne({ ...bad });
  await modify({ validator });
  await expectRefused(items.insertOne({ age: 'x', _id: 'x' as never }), 'x');
  await expectRefused(items.updateOne({ _id: 'bad' as never }, { $set: { n: 1 } }), 'bad');
});

test('on the level moderate documents that were not valid before may change', async () => {
  await items.insertOne({ ...bad }, { bypassDocumentValidation: true });
  await modify({ validationLevel: 'moderate' });
  await items.updateOne({ _id: 'bad' as never }, { $set: { n: 1 } });
  await expectRefused(items.updateOne({ _id: 'good' as never }, { $set: { age: 'x' } }), 'good');
  await expectRefused(items.insertOne({ _id: 'x' as never }), 'x');
  await items.updateOne({ _id: 'bad' as never }, { $set: { age: 5 } });
  await expectRefused(items.updateOne({ _id: 'bad' as never }, { $set: { age: 'x' } }), 'bad');
});

test('on the level off nothing is refused, and strict brings the validator back', async () => {
  await modify({ validationLevel: 'off' });
  await items.insertOne({ ...bad });
  await modify({ validationLevel: 'strict', validationAction: 'error' });
  await expectRefused(items.insertOne({ _id: 'x' as never }), 'x');
});

describe('a definition is refused', () => {
  test.each<[Document, number[]]>([
    [{ validator: { $jsonSchema: { required: ['a'] } } }, [2, 238]],
    [{ validator: { age: { $nonsense: 1 } } }, [2]],
    [{ validator: 'text' }, [14]],
    [{ validationLevel: 'often' }, [2]],
    [{ validationAction: 'shout' }, [2]],
    [{ validationAction: 'warn' }, [238]],
  ])('%j', async (change, codes) => {
    expect(codes).toContain((await errorOf(modify(change))).code);
    expect(codes).toContain((await errorOf(running.db.createCollection('other', change))).code);
    expect(await running.db.listCollections({ name: 'other' }).toArray()).toEqual([]);
    await expectRefused(items.insertOne({ _id: 'x' as never }), 'x');
  });
});

test('a collection can be made again with the same options, and not with others', async () => {
  await running.db.createCollection('items', { validator });
  expect((await errorOf(running.db.createCollection('items'))).code).toBe(48);
  const other = { validator: { age: { $gte: 1 } } };
  expect((await errorOf(running.db.createCollection('items', other))).code).toBe(48);
  await expectRefused(items.insertOne({ _id: 'x' as never }), 'x');
});

test('a validator is listed, moves with a rename, and ends with its collection', async () => {
  expect(await running.db.listCollections({ name: 'items' }).toArray()).toMatchObject([
    { options: { validator } },
  ]);
  const renamed = await items.rename('renamed');
  expect((await errorOf(renamed.insertOne({ ...bad }))).code).toBe(121);
  await renamed.drop();
  await running.db.collection<Document>('renamed').insertOne({ ...bad });
});

test('a validator holds for what $out puts in the place of its collection, and stays', async () => {
  const source = running.db.collection<Document>('source');
  await source.insertOne({ ...bad });
  expect((await errorOf(source.aggregate([{ $out: 'items' }]).toArray())).code).toBe(121);
  await source.drop();
  await source.aggregate([{ $out: 'items' }]).toArray();
  expect((await errorOf(items.insertOne({ ...bad }))).code).toBe(121);
});

test('a validator and its level survive a restart', async () => {
  const directory = temporaryDirectory();
  const open = async (work: (collection: Collection<Document>) => Promise<unknown>): Promise<void> => {
    const server = await startEmbedded({ directory: directory.path });
    const client = await MongoClient.connect(server.uri);
    await work(client.db().collection('items')).finally(() => client.close());
    await server.stop();
  };
  await open(async (collection) => {
    await collection.insertOne({ ...bad });
    await collection.db.command({ collMod: 'items', validator, validationLevel: 'moderate' });
  });
  await open(async (collection) => {
    expect((await errorOf(collection.insertOne({ age: 'x' }))).code).toBe(121);
    await collection.updateOne({ _id: 'bad' as never }, { $set: { n: 1 } });
    expect(await collection.findOne()).toEqual({ ...bad, n: 1 });
  });
  directory.remove();
});
