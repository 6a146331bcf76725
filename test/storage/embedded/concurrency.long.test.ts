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
  for (const hint of ['_id_', 'key_1', 'other_1']) {
    expect(await items.find().hint(hint).toArray()).toHaveLength(1);
    expect(await items.countDocuments({ other: { $gte: 0 } }, { hint })).toBe(1);
  }
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

test.each([
  ['with an index', true],
  ['without any', false],
])(
  'a queue drained by 50 clients hands out each job once, in order for each client, %s',
  async (_, indexed) => {
    if (indexed) await items.createIndex({ state: 1, at: 1 });
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
  },
);

test('a queue too long to search at once is handed out exactly as well', async () => {
  const text = 'x'.repeat(300);
  await items.insertMany(
    Array.from({ length: 12_000 }, (_, at) => ({ at, state: at < 11_960 ? 'done' : 'queued', text })),
  );
  const taken: number[] = [];
  await times(50, async () => {
    for (;;) {
      const job = await items.findOneAndUpdate({ state: 'queued' }, { $set: { state: 'running' } });
      if (!job) return;
      taken.push(job.at);
    }
  });
  expect(taken).toHaveLength(40);
  expect(new Set(taken).size).toBe(40);
}, 120_000);

test('50 clients upserting keys that no index knows, ten at a time, make one document for each', async () => {
  const text = 'x'.repeat(300);
  await items.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ key: `old ${n}`, text })));
  await times(50, (client) =>
    items.updateOne({ key: `new ${client % 5}` }, { $inc: { n: 1 } }, { upsert: true }),
  );
  await times(50, (client) =>
    items.findOneAndUpdate({ key: `newer ${client % 5}` }, { $inc: { n: 1 } }, { upsert: true }),
  );
  const made = await items
    .find({ key: /^new/ }, { projection: { _id: 0 } })
    .sort({ key: 1 })
    .toArray();
  const wanted = ['new', 'newer'].flatMap((name) =>
    [0, 1, 2, 3, 4].map((n) => ({ key: `${name} ${n}`, n: 10 })),
  );
  expect(made).toEqual(wanted);
}, 120_000);

test('updateMany and deleteMany racing with inserts change what they counted, and every index agrees', async () => {
  await items.createIndex({ group: 1 });
  await items.createIndex({ seen: 1 });
  await items.insertMany(Array.from({ length: 3000 }, (_, n) => ({ n, group: n % 3 })));
  const inserts = times(20, async (client) => {
    for (let i = 0; i < 30; i++) await items.insertOne({ n: 3000 + client * 30 + i, group: i % 3 });
  });
  const updates = times(5, () => items.updateMany({ group: 1 }, { $inc: { seen: 1 } }));
  const deletes = times(5, () => items.deleteMany({ group: 2 }));
  const [, updated, deleted] = await Promise.all([inserts, updates, deletes]);
  const removed = deleted.reduce((sum, { deletedCount }) => sum + deletedCount, 0);
  const rest = await items.find().hint({ $natural: 1 }).toArray();
  expect(rest).toHaveLength(3600 - removed);
  expect(removed).toBeGreaterThanOrEqual(1000);
  const increments = rest.reduce((sum, { seen = 0 }) => sum + seen, 0);
  expect(increments).toBe(updated.reduce((sum, { modifiedCount }) => sum + modifiedCount, 0));
  expect(
    rest.filter(({ n, group }) => n < 3000 && group === 1 && n % 3 === 1).every(({ seen }) => seen === 5),
  ).toBe(true);
  expect(await items.estimatedDocumentCount()).toBe(rest.length);
  for (const hint of ['_id_', 'group_1', 'seen_1']) {
    expect(
      await items
        .find({}, { projection: { _id: 1 } })
        .hint(hint)
        .toArray(),
    ).toHaveLength(rest.length);
  }
  for (const group of [0, 1, 2]) {
    expect(await items.countDocuments({ group })).toBe(
      rest.filter((document) => document.group === group).length,
    );
  }
}, 120_000);

test('of a batch of inserts the refused ones are named and the others are there', async () => {
  await items.createIndex({ key: 1 }, { unique: true });
  const documents = Array.from({ length: 20 }, (_, n) => ({ key: n % 10, n }));
  const error = await errorOf(items.insertMany(documents, { ordered: false }));
  const refused = (error.writeErrors as { index: number; code: number }[]).map(({ index, code }) => [
    index,
    code,
  ]);
  expect(refused).toEqual(Array.from({ length: 10 }, (_, i) => [10 + i, 11000]));
  expect(await items.distinct('n')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
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
