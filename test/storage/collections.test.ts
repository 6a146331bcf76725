import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { ensureCollections } from '../../src/assembly/collections.ts';
import { sharedDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let client: MongoClient;

beforeAll(async () => {
  database = await sharedDatabase();
  client = await MongoClient.connect(database.uri);
});
afterAll(async () => {
  await client.close();
  await database.drop();
});

test('a start removes the indexes of earlier versions, and none that somebody else made', async () => {
  const runs = client.db().collection('runs');
  await runs.insertOne({ threadId: 'thread_1', active: true });
  await runs.createIndex({ status: 1, priority: 1, queuedAt: 1 });
  await runs.createIndex({ owner: 1, status: 1 });
  await runs.createIndex({ 'metadata.customer': 1 });
  // Two processes of an installation may start at once.
  await Promise.all([ensureCollections(client.db()), ensureCollections(client.db())]);
  const names = (await runs.indexes()).map(({ name }) => name);
  expect(names).toContain('metadata.customer_1');
  expect(names).toContain('active_by_owner');
  expect(names).not.toContain('status_1_priority_1_queuedAt_1');
  expect(names).not.toContain('owner_1_status_1');
});
