import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { createTogether } from '../../src/storage/together.ts';
import { sharedDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let client: MongoClient;
let commands: string[] = [];

beforeAll(async () => {
  database = await sharedDatabase();
  client = await MongoClient.connect(database.uri, { monitorCommands: true });
  client.on('commandStarted', ({ commandName }) => void commands.push(commandName));
});
beforeEach(async () => {
  await client.db().dropDatabase();
  commands = [];
});
afterAll(async () => {
  await client.close();
  await database.drop();
});

/** The database as a server shows it that is older than inserts into several collections. */
const olderDb = (): Db =>
  new Proxy(client.db(), {
    get: (db, name) =>
      name === 'admin'
        ? () => ({ command: async () => ({ maxWireVersion: 21 }) })
        : Reflect.get(db, name, db),
  });

const at = new Date(1_700_000_000_000);
const inserts = [
  { collection: 'threads', document: { _id: 't' as never, at, empty: {}, list: [1, 2.5, null] } },
  { collection: 'items', document: { _id: 'i1' as never, text: 'größer 🙂' } },
  { collection: 'items', document: { _id: 'i2' as never, text: '' } },
];
const stored = async () => ({
  threads: await client.db().collection('threads').find().toArray(),
  items: await client.db().collection('items').find().sort({ _id: 1 }).toArray(),
});
const all = {
  threads: [inserts[0]?.document],
  items: [inserts[1]?.document, inserts[2]?.document],
};

test('documents of several collections go in one command where the server takes that', async () => {
  const together = createTogether(() => client.db());
  await together.insert(inserts);
  expect(await stored()).toEqual(all);
  await client.db().dropDatabase();
  await together.insert(inserts);
  const { maxWireVersion } = await client.db().admin().command({ hello: 1 });
  const writes = commands.filter((name) => name === 'bulkWrite' || name === 'insert');
  expect(new Set(writes)).toEqual(new Set([maxWireVersion >= 25 ? 'bulkWrite' : 'insert']));
});

test('an older server gets them side by side', async () => {
  await createTogether(olderDb).insert(inserts);
  expect(await stored()).toEqual(all);
  expect(commands.filter((name) => name === 'insert')).toHaveLength(3);
});

test.each([
  ['in one command', () => client.db()],
  ['side by side', olderDb],
])('what is refused %s is told as an insert of its own would tell it', async (_how, db) => {
  await client
    .db()
    .collection('items')
    .insertOne({ _id: 'i1' as never });
  const inserting = createTogether(db).insert(inserts);
  await expect(inserting).rejects.toMatchObject({ name: 'MongoServerError', code: 11000 });
  expect((await stored()).threads).toEqual(all.threads);
});

const updates = [
  {
    collection: 'items',
    filter: { _id: 'i1', fence: { $lte: 2 } },
    update: { $set: { fence: 2 } },
    upsert: true,
  },
  { collection: 'threads', filter: { _id: 't', fence: 2 }, update: { $set: { isEnded: true } } },
];

describe.each([
  ['in one command', () => client.db()],
  ['by an older server', olderDb],
])('changes of several collections %s', (_how, db) => {
  const begin = async (item: object | null, thread: object) => {
    if (item)
      await client
        .db()
        .collection('items')
        .insertOne({ _id: 'i1' as never, ...item });
    await client
      .db()
      .collection('threads')
      .insertOne({ _id: 't' as never, ...thread });
    commands = [];
  };

  test('are all made, and counted', async () => {
    await begin(null, { fence: 2 });
    expect(await createTogether(db).update(updates)).toBe(2);
    expect(await stored()).toEqual({
      items: [{ _id: 'i1', fence: 2 }],
      threads: [{ _id: 't', fence: 2, isEnded: true }],
    });
    const { maxWireVersion } = await db().admin().command({ hello: 1 });
    const writes = commands.filter((name) => name === 'bulkWrite' || name === 'update');
    expect(writes).toEqual(maxWireVersion >= 25 ? ['bulkWrite'] : ['update', 'update']);
  });

  test('count those alone that met a document', async () => {
    await begin({ fence: 1 }, { fence: 3 });
    expect(await createTogether(db).update(updates)).toBe(1);
    expect((await stored()).items).toEqual([{ _id: 'i1', fence: 2 }]);
  });

  test('end with the first that is refused', async () => {
    await begin({ fence: 3 }, { fence: 2 });
    await expect(createTogether(db).update(updates)).rejects.toMatchObject({
      name: 'MongoServerError',
      code: 11000,
    });
    expect((await stored()).threads).toEqual([{ _id: 't', fence: 2 }]);
  });
});
