import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import type { ThreadItem } from '../../../src/runs/items.ts';
import { newestItems } from '../../../src/runs/turn/newest-items.ts';
import { plan } from '../../../src/storage/embedded/plan/planner.ts';
import { emptyCollection } from '../../../src/storage/embedded/store/collection.ts';
import { indexFromSpec, normaliseSpec } from '../../../src/storage/embedded/store/indexes/index-spec.ts';
import { threadItemModel } from '../../../src/subgraphs/assistants/thread-message/model.ts';
import { sharedDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let client: MongoClient;
const finds: { filter: Record<string, unknown>; sort: Map<string, 1 | -1> }[] = [];
const items = () => client.db().collection<ThreadItem>('thread_items');

beforeAll(async () => {
  database = await sharedDatabase();
  client = await MongoClient.connect(database.uri, { monitorCommands: true });
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find') finds.push(command as (typeof finds)[number]);
  });
});
afterAll(async () => {
  await client.close();
  await database.drop();
});

it('the newest items of a thread come in their order, whatever their kinds', async () => {
  // Three at each moment: ids tell them apart.
  const all = Array.from({ length: 30 }, (_none, at) => ({
    _id: `i${String(at).padStart(2, '0')}`,
    threadId: 'thread',
    kind: at % 4 === 3 ? 'calls' : 'message',
    createdAt: new Date(1_700_000_000_000 + Math.floor(at / 3)),
  }));
  const other = { ...all[29], _id: 'other', threadId: 'other' };
  await items().insertMany([...all.toReversed(), other] as unknown as ThreadItem[]);
  for (const count of [1, 7, 29, 30, 100])
    expect(await newestItems({ items }, 'thread', count)).toEqual(all.slice(-count));
});

it('they are found by an index that has their order: a long thread is not sorted', async () => {
  finds.length = 0;
  await newestItems({ items }, 'thread', 7);
  const collection = emptyCollection(1, 'test', 'thread_items', {});
  const schema = threadItemModel.schema;
  collection.indexes = schema
    .indexes()
    .map(([key, options], at) => indexFromSpec(at, normaliseSpec({ key, name: `index${at}`, ...options })));
  const plans = finds.map(({ filter, sort }) =>
    plan(collection, { filter, sort: [...sort].map(([path, way]) => ({ path, descending: way === -1 })) }),
  );
  expect(plans).not.toEqual([]);
  for (const found of plans) expect(found).toMatchObject({ kind: 'index', exact: true, sorted: true });
});
