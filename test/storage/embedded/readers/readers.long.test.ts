import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { errorOf, type Running, startServer } from '../support.ts';

const total = 20_000;
let running: Running;
let items: Collection<Document>;

beforeAll(async () => {
  running = await startServer({ ttlInterval: 50, cursorIdleLimit: 1500 });
  items = running.db.collection('items');
  await items.createIndex({ indexed: 1 });
  await items.insertMany(
    Array.from({ length: total }, (_, n) => ({ n, indexed: n, text: `text ${n % 7}`, pad: 'x'.repeat(100) })),
  );
});
afterAll(() => running.stop());

const slow = { $expr: { $gte: [{ $strLenCP: { $concat: ['$text', '$pad', '$text', '$pad'] } }, 0] } };
const status = (): Promise<Document> => running.db.admin().command({ serverStatus: 1 });

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a scan in a reader sees every write that was acknowledged before it', async () => {
  for (let round = 0; round < 20; round++) {
    await items.updateOne({ indexed: round }, { $set: { seen: round } });
    expect(await items.findOne({ seen: round })).toMatchObject({ n: round });
    expect(await items.countDocuments({ seen: { $gte: 0 } })).toBe(round + 1);
  }
});

test('a reader knows collections and indexes made a moment ago, and forgets those that are gone', async () => {
  for (let round = 0; round < 5; round++) {
    const made = running.db.collection<Document>(`made${round}`);
    await made.insertMany(Array.from({ length: 1500 }, (_, n) => ({ n, tags: [n, n + 1] })));
    expect(await made.countDocuments({ n: { $mod: [2, 0] } })).toBe(750);
    await made.createIndex({ tags: 1 });
    const found = await made.aggregate([{ $match: { tags: { $gte: 1490 } } }, { $count: 'n' }]).toArray();
    expect(found).toEqual([{ n: 11 }]);
    await made.drop();
    expect(await made.countDocuments({ n: { $mod: [2, 0] } })).toBe(0);
  }
});

test('a cursor that a reader has open is read to its end, and can be killed', async () => {
  const all = await items.find({ text: { $exists: true } }, { batchSize: 500 }).toArray();
  expect(new Set(all.map(({ n }) => n)).size).toBe(total);
  const { cursor } = await running.db.command({ find: 'items', filter: slow, batchSize: 2 });
  const kill = await running.db.command({ killCursors: 'items', cursors: [cursor.id, 99n] });
  expect([kill.cursorsKilled, kill.cursorsNotFound.map(Number)]).toEqual([[cursor.id], [99]]);
  const gone = await errorOf(running.db.command({ getMore: cursor.id, collection: 'items' }));
  expect(gone.code).toBe(43);
});

test('a cursor that nobody reads is closed in a reader too', async () => {
  const { cursor } = await running.db.command({ find: 'items', filter: slow, batchSize: 2 });
  await new Promise((resolve) => setTimeout(resolve, 3500));
  expect((await errorOf(running.db.command({ getMore: cursor.id, collection: 'items' }))).code).toBe(43);
});

test('a cursor whose collection was dropped ends with an error', async () => {
  const doomed = running.db.collection<Document>('doomed');
  await doomed.insertMany(Array.from({ length: 5000 }, (_, n) => ({ n })));
  const cursor = doomed.find({ n: { $gte: 0 } }, { batchSize: 2 });
  await cursor.next();
  await doomed.drop();
  // The documents go in the background, so that the cursor may come across some before it meets the end.
  const rest = await cursor.toArray().catch((error) => error.code);
  expect(Array.isArray(rest) ? 175 : rest).toBe(175);
});

test('what a client asked for is given up when the client goes', async () => {
  const client = await MongoClient.connect(running.server.uri);
  const cube = [
    { $lookup: { from: 'items', pipeline: [{ $match: slow }, { $count: 'n' }], as: 'all' } },
    { $match: { all: [] } },
  ];
  const asked = client.db().collection('items').aggregate(cube).toArray();
  asked.catch(() => {});
  await until(async () => (await status()).globalLock.activeClients.readers > 0);
  await client.close(true);
  await expect(asked).rejects.toThrow();
  await until(async () => (await status()).globalLock.activeClients.readers === 0);
});

test('a statement that takes too much memory fails alone', async () => {
  const greedy = [{ $group: { _id: null, all: { $push: { $concat: Array(60).fill('$pad') } } } }];
  const other = items.countDocuments({ text: 'text 3' });
  expect((await errorOf(items.aggregate(greedy).toArray())).code).toBe(292);
  expect(await other).toBe(Math.ceil((total - 3) / 7));
});

test('an upsert without an index inserts once, however many race', async () => {
  const keys = running.db.collection<Document>('keys');
  await keys.insertMany(Array.from({ length: 3000 }, (_, n) => ({ key: `old ${n}` })));
  await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      keys.updateOne({ key: `new ${n % 10}` }, { $inc: { n: 1 } }, { upsert: true }),
    ),
  );
  const made = await keys.find({ key: /^new/ }, { projection: { _id: 0 } }).toArray();
  expect(made.map(({ key, n }) => `${key}: ${n}`).sort()).toEqual(
    Array.from({ length: 10 }, (_, n) => `new ${n}: 10`),
  );
});

test('a queue without an index hands out each job once, the first ones first', async () => {
  const jobs = running.db.collection<Document>('jobs');
  await jobs.insertMany(Array.from({ length: 3000 }, (_, at) => ({ at: (at * 7) % 3000, state: 'queued' })));
  const taken: number[] = [];
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let last = -1, i = 0; i < 12; i++) {
        const job = await jobs.findOneAndUpdate(
          { state: 'queued' },
          { $set: { state: 'taken' } },
          { sort: { at: 1 } },
        );
        expect(job?.at).toBeGreaterThan(last);
        last = job?.at;
        taken.push(last);
      }
    }),
  );
  expect(taken.sort((left, right) => left - right)).toEqual(Array.from({ length: 120 }, (_, n) => n));
});
