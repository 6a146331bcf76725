import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Collection, MongoBulkWriteError, MongoClient, MongoNetworkError } from 'mongodb';
import type { RunEventBatch } from '../../src/runs/index.ts';
import { RunEventLog } from '../../src/runs/index.ts';
import { sharedDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let client: MongoClient;
let batches: Collection<RunEventBatch>;
beforeAll(async () => {
  database = await sharedDatabase();
  client = await MongoClient.connect(database.uri, { monitorCommands: true });
  batches = client.db().collection('run_events');
});
afterAll(async () => {
  await client.close();
  await database.drop();
});
beforeEach(() => batches.deleteMany({}));

const batch = (id: string): RunEventBatch => ({
  ...{ _id: id, organisationId: 'o', workspaceId: 'w', runId: id, fence: 1, from: 1, to: 1 },
  events: [{ event: 'a', data: {} }],
  at: new Date(),
});
const stored = async () => (await batches.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

test('batches of several runs go in one command, and each of them is told when it is stored', async () => {
  const inserts: number[] = [];
  const count = ({ command }: { command: Record<string, any> }) => {
    if (command.insert) inserts.push(command.documents.length);
  };
  client.on('commandStarted', count);
  const log = new RunEventLog(() => batches);
  await Promise.all(['1', '2', '3'].map((id) => log.write(batch(id))));
  client.off('commandStarted', count);
  expect(await stored()).toEqual(['1', '2', '3']);
  expect(inserts).toEqual([3]);
});

test('a batch that is refused does not keep the others from being stored', async () => {
  await batches.insertOne(batch('2'));
  const log = new RunEventLog(() => batches);
  const ends = await Promise.allSettled(['1', '2', '3'].map((id) => log.write(batch(id))));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(ends[1]).toMatchObject({ reason: { code: 11000 } });
  expect(await stored()).toEqual(['1', '2', '3']);
});

test('a store that is away refuses all of them', async () => {
  // As the driver has it where the connection breaks in the midst of a command.
  const broken = new MongoBulkWriteError(new MongoNetworkError('The connection broke off.'), {} as never);
  const away = { insertMany: () => Promise.reject(broken) };
  const log = new RunEventLog(() => away as never);
  const ends = await Promise.allSettled(['1', '2'].map((id) => log.write(batch(id))));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await log.settled();
});

test('it has settled once all is stored, also what came while it settled', async () => {
  const log = new RunEventLog(() => batches);
  const second = log.write(batch('1')).then(() => log.write(batch('2')));
  await log.settled();
  expect(await stored()).toEqual(['1', '2']);
  await second;
});
