import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { errorOf, type Running, startServer } from './support.ts';

let running: Running;
let items: Collection<Document>;

beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.stop());
beforeEach(async () => {
  items = running.db.collection('items');
  await items.drop();
});

const times = <Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

test('of 50 racing inserts of one key one succeeds and 49 are told why not', async () => {
  await items.createIndex({ key: 1 }, { unique: true });
  await items.createIndex({ other: 1 });
  const outcomes = await times(50, async (other) => {
    const result = await items.insertOne({ key: 'same', other }).catch((error) => error);
    return result.acknowledged
      ? 'inserted'
      : `${result.code} ${JSON.stringify([result.keyPattern, result.keyValue])}`;
  });
  expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(1);
  expect(new Set(outcomes)).toEqual(new Set(['inserted', '11000 [{"key":1},{"key":"same"}]']));
  expect(
    await items
      .find({ other: { $gte: 0 } })
      .hint('other_1')
      .toArray(),
  ).toHaveLength(1);
});

test('50 clients adding 100 times make 5000', async () => {
  await items.insertOne({ _id: 1, n: 0 } as Document);
  await times(50, async () => {
    for (let i = 0; i < 100; i++) await items.updateOne({ _id: 1 } as Document, { $inc: { n: 1 } });
  });
  expect((await items.findOne())?.n).toBe(5000);
});

test('racing upserts on a unique field make one document', async () => {
  await items.createIndex({ key: 1 }, { unique: true });
  await times(30, () => items.updateOne({ key: 'k' }, { $inc: { n: 1 } }, { upsert: true }));
  expect(await items.find({}, { projection: { _id: 0 } }).toArray()).toEqual([{ key: 'k', n: 30 }]);
});

test('a queue drained by 50 clients hands out each job once, in order for each client', async () => {
  await items.createIndex({ state: 1, at: 1 });
  await items.insertMany(Array.from({ length: 600 }, (_, at) => ({ at, state: 'queued' })));
  const taken: number[] = [];
  await times(50, async () => {
    for (let last = -1; ; ) {
      const job = await items.findOneAndUpdate(
        { state: 'queued' },
        { $set: { state: 'running' } },
        { sort: { at: 1 } },
      );
      if (!job) return;
      expect(job.at).toBeGreaterThan(last);
      last = job.at;
      taken.push(last);
    }
  });
  expect(taken).toHaveLength(600);
  expect(new Set(taken).size).toBe(600);
});

test('a statement that fails does not touch those that share its transaction', async () => {
  await items.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id, n: 0, text: 'x' })) as Document[]);
  const outcomes = await times(10, (_id) =>
    items
      .updateOne({ _id } as Document, _id % 2 ? { $inc: { text: 1 } } : { $inc: { n: 1 } })
      .then(() => 'changed')
      .catch((error) => error.code),
  );
  expect(outcomes).toEqual(Array.from({ length: 10 }, (_, n) => (n % 2 ? 14 : 'changed')));
  expect(await items.distinct('_id', { n: 1 })).toEqual([0, 2, 4, 6, 8]);
});

test('point reads are answered while a long scan and a long update run', async () => {
  await items.insertMany(
    Array.from({ length: 8000 }, (_, _id) => ({ _id, text: 'x'.repeat(200) })) as Document[],
  );
  let busy = true;
  const work = Promise.all([
    items.countDocuments({ text: /y$/ }),
    items.updateMany({}, { $set: { seen: true } }),
    items.aggregate([{ $group: { _id: { $toUpper: '$text' } } }]).toArray(),
  ]).finally(() => {
    busy = false;
  });
  let reads = 0;
  for (; busy; reads++) expect(await items.findOne({ _id: reads % 8000 } as Document)).not.toBeNull();
  await work;
  expect(reads).toBeGreaterThan(3);
});

test('a query past its time limit is ended', async () => {
  await items.insertMany(Array.from({ length: 8000 }, (_, n) => ({ n })));
  const slow = items.find({ $expr: { $lt: [{ $add: ['$n', '$n', 1] }, 0] } }, { maxTimeMS: 1 }).toArray();
  expect((await errorOf(slow)).code).toBe(50);
});
