import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Collection, type Db, MongoClient } from 'mongodb';
import type { NewRun } from '../../src/runs/index.ts';
import { createRunEngine } from '../../src/runs/index.ts';
import type { RunDocument } from '../../src/runs/run.ts';
import { sharedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

let database: TestDatabase;
let client: MongoClient;
let db: Db;
beforeAll(async () => {
  database = await sharedDatabase();
  client = await MongoClient.connect(database.uri);
  db = client.db();
});
afterAll(async () => {
  await client.close();
  await database.drop();
});

/** The runs of a store that breaks down when one is given to a process, and answers when the process has looked after its runs. */
function runsInDoubt(collection: Collection<RunDocument>): Collection<RunDocument> {
  let isBroken = false;
  const looks = { all: 0, ofOwn: 0 };
  async function doubted<T>(written: T): Promise<T> {
    isBroken = true;
    const { ofOwn } = looks;
    await eventually(async () => expect(looks.ofOwn).toBeGreaterThan(ofOwn));
    const { all } = looks;
    await eventually(async () => expect(looks.all).toBeGreaterThan(all));
    return written;
  }
  const changed = {
    find(filter: Partial<RunDocument>, options?: object) {
      const wasBroken = isBroken;
      isBroken = false;
      if (wasBroken) throw new Error('The store is away.');
      looks.all++;
      if (filter.owner && filter.active && filter.status === undefined) looks.ofOwn++;
      return collection.find(filter, options);
    },
    insertOne: async (run: RunDocument) => doubted(await collection.insertOne(run)),
    async findOneAndUpdate(filter: object, update: { $set: Partial<RunDocument> }, options: object) {
      const after = await collection.findOneAndUpdate(filter, update, options);
      return update.$set.pending?.length === 0 && update.$set.owner ? doubted(after) : after;
    },
  };
  return new Proxy(collection, {
    get: (_target, name) => Reflect.get(name in changed ? changed : collection, name),
  });
}

test('a run that begins or goes on while its process doubts what it has is taken up once', async () => {
  const stored = db.collection<RunDocument>('runs');
  const runs = runsInDoubt(stored);
  /** Of executions that fail: a look would take their runs up again. */
  const died: unknown[] = [];
  const engine = createRunEngine({
    runs: () => runs,
    items: () => db.collection('thread_items'),
    batches: () => db.collection('run_events'),
    eventLog: { settled: async () => undefined },
    instances: () => db.collection('run_instances'),
    together: { insert: async () => undefined, update: async () => 0 },
    hasThread: async () => true,
    // The model never answers.
    dataplane: { handle: async () => undefined },
    secrets: { decrypt: () => '{}' },
    tools: [],
    files: {},
    contextWindow: async () => null,
    changes: { publish: async () => undefined, subscribe: () => undefined },
    slots: { all: 9, ofWorkspace: 9 },
    mostQueued: 9,
    now: () => new Date(),
    log: { warn: () => undefined, error: (told: unknown) => died.push(told) },
  } as never);
  const made = {
    ...{ _id: 'run_doubt', threadId: 'thread_doubt', workspaceId: 'w', organisationId: 'o', tools: [] },
    ...{ sealedCaller: '{}', instructions: '', isLogged: false, metadata: {}, toolResources: {} },
    ...{ truncationStrategy: { type: 'auto', last_messages: null } },
    ...{ completedAt: null, cancelledAt: null, failedAt: null, incompleteReason: null },
    ...{ createdAt: new Date(), dueAt: new Date(), expiresAt: new Date(Date.now() + 600_000) },
  } as unknown as NewRun;
  const claim = () => stored.findOne({ _id: made._id }, { projection: { _id: 0, fence: 1, attempt: 1 } });
  try {
    await engine.create(made, { isStreamed: true });
    expect(await claim()).toEqual({ fence: 1, attempt: 1 });

    const call = { id: 'call_1', type: 'function', name: 'look', arguments: '{}', output: null };
    await stored.updateOne(
      { _id: made._id },
      { $set: { status: 'requires_action', owner: null, pending: [call] as never } },
    );
    const waiting = await stored.findOne({ _id: made._id });
    await engine.submit(waiting as RunDocument, new Map([['call_1', 'Seen.']]), true);
    expect(await claim()).toEqual({ fence: 2, attempt: 1 });
    expect(died).toEqual([]);
  } finally {
    await engine.stop();
  }
});
