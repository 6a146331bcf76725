import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { startEmbedded } from '../../../../src/storage/embedded/index.ts';
import { errorOf, type Running, startServer, temporaryDirectory } from '../support.ts';

const total = 12_000;
const start = Date.UTC(2026, 0, 1);
let running: Running;
/** Large enough for a reader thread; and the part of it that the filter takes, small enough to do without one. */
let large: Collection<Document>;
let small: Collection<Document>;

const make = (n: number): Document => ({
  _id: n,
  n,
  wanted: n % 40 === 0,
  group: n % 7,
  text: n % 3 === 0 ? `Text ${n % 11}` : `TEXT ${n % 11}`,
  tags: [n % 5, n % 13],
  nested: { deep: n % 17 },
  at: new Date(start + n * 60_000),
  parent: n === 0 ? null : Math.floor(n / 80) * 40,
});

beforeAll(async () => {
  running = await startServer();
  large = running.db.collection('large');
  small = running.db.collection('small');
  const all = Array.from({ length: total }, (_, n) => make(n));
  await large.insertMany(all);
  await small.insertMany(all.filter(({ wanted }) => wanted));
  for (const collection of [large, small])
    await collection.createIndex({ group: 1, n: -1 }, { name: 'group' });
});
afterAll(() => running.stop());

const wanted = { wanted: true };
const collation = { locale: 'en', strength: 2 } as const;

describe('a reader gives what a small collection gives', () => {
  type Ask = (collection: Collection<Document>) => Promise<unknown>;
  const order = { group: 1, n: -1 } as const;
  const asks: [string, Ask][] = [
    ['sort, skip and limit', (of) => of.find(wanted).sort({ text: -1, n: 1 }).skip(20).limit(50).toArray()],
    ['projection', (of) => of.find(wanted, { projection: { text: 1, 'nested.deep': 1 } }).toArray()],
    ['a slice of an array', (of) => of.find(wanted, { projection: { tags: { $slice: -1 } } }).toArray()],
    [
      'collation',
      (of) =>
        of
          .find({ ...wanted, text: 'text 5' }, { collation })
          .sort({ n: 1 })
          .toArray(),
    ],
    ['hint', (of) => of.find(wanted, { hint: 'group' }).sort(order).toArray()],
    [
      'let',
      (of) => of.find({ ...wanted, $expr: { $gt: ['$n', '$$low'] } }, { let: { low: 9000 } }).toArray(),
    ],
    ['distinct', (of) => of.distinct('nested.deep', wanted)],
    ['distinct over arrays', (of) => of.distinct('tags', { ...wanted, tags: { $gt: 2 } })],
    ['count', (of) => of.countDocuments({ ...wanted, 'nested.deep': { $gte: 3 } })],
    ['count with skip and limit', (of) => of.countDocuments(wanted, { skip: 290, limit: 50 })],
    ['the count command', (of) => of.count(wanted, { skip: 30, limit: 20 })],
    ['batches of one', (of) => of.find(wanted, { batchSize: 1 }).limit(30).toArray()],
  ];
  test.each(asks)('for %s', async (_, ask) => {
    const result = await ask(large);
    expect(result).toEqual(await ask(small));
    expect(Array.isArray(result) ? result.length : result).toBeGreaterThan(0);
  });

  const byDeep = { $group: { _id: '$nested.deep', sum: { $sum: '$n' }, all: { $addToSet: '$group' } } };
  const pipelines: [string, Document[]][] = [
    ['$group', [byDeep, { $set: { all: { $size: '$all' } } }, { $sort: { _id: 1 } }]],
    [
      '$lookup',
      [
        { $lookup: { from: 'small', localField: 'parent', foreignField: '_id', as: 'up' } },
        { $sort: { n: 1 } },
      ],
    ],
    ['$facet', [{ $facet: { deep: [byDeep, { $count: 'n' }], low: [{ $match: { n: { $lt: 400 } } }] } }]],
    [
      '$unionWith',
      [{ $unionWith: { coll: 'small', pipeline: [{ $match: { n: 40 } }] } }, { $sort: { n: 1 } }],
    ],
    [
      '$graphLookup',
      [
        { $match: { n: { $gte: 11_900 } } },
        {
          $graphLookup: {
            from: 'small',
            startWith: '$parent',
            connectFromField: 'parent',
            connectToField: '_id',
            as: 'line',
          },
        },
        { $set: { line: { $sum: '$line._id' } } },
      ],
    ],
    [
      '$setWindowFields',
      [
        {
          $setWindowFields: {
            partitionBy: '$group',
            sortBy: { n: 1 },
            output: { running: { $sum: '$n', window: { documents: ['unbounded', 'current'] } } },
          },
        },
        { $sort: { n: 1 } },
      ],
    ],
    [
      '$dateTrunc',
      [
        { $group: { _id: { $dateTrunc: { date: '$at', unit: 'day' } }, n: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ],
    ],
    ['$bucket', [{ $bucket: { groupBy: '$n', boundaries: [0, 1000, 5000], default: 'more' } }]],
    ['$sortByCount', [{ $sortByCount: '$text' }, { $sort: { count: -1, _id: 1 } }]],
  ];
  test.each(pipelines)('for %s', async (_, pipeline) => {
    const [result, twin] = await Promise.all(
      [large, small].map((of) => of.aggregate([{ $match: wanted }, ...pipeline]).toArray()),
    );
    expect(result).toEqual(twin);
    expect(result?.length).toBeGreaterThan(0);
  });
});

test('twenty aggregates at once give each their own result', async () => {
  const counts = await Promise.all(
    Array.from({ length: 20 }, (_, low) =>
      large
        .aggregate([{ $match: { 'nested.deep': { $gte: low } } }, { $group: { _id: null, n: { $sum: 1 } } }])
        .next(),
    ),
  );
  const expected = (low: number): number =>
    Array.from({ length: total }, (_, n) => n % 17).filter((d) => d >= low).length;
  expect(counts.map((count) => count?.n ?? 0)).toEqual(counts.map((_, low) => expected(low)));
});

test('getMore with batchSize 0 takes what fits, with 1 one document', async () => {
  const filter = { $expr: { $gte: ['$nested.deep', 0] } };
  const { cursor } = await running.db.command({ find: 'large', filter, batchSize: 0 });
  expect(cursor.firstBatch).toEqual([]);
  const more = (batchSize: number): Promise<Document> =>
    running.db.command({ getMore: cursor.id, collection: 'large', batchSize });
  const one = (await more(1)).cursor.nextBatch;
  expect(one.map(({ n }: Document) => n)).toEqual([0]);
  const rest = (await more(0)).cursor;
  expect(rest.nextBatch.length).toBeGreaterThan(1);
  expect(rest.nextBatch[0].n).toBe(1);
});

test('maxTimeMS ends a statement in a reader', async () => {
  const cube = {
    $lookup: {
      from: 'large',
      let: { n: '$n' },
      pipeline: [{ $match: { $expr: { $lt: ['$n', '$$n'] } } }],
      as: 'all',
    },
  };
  expect((await errorOf(large.aggregate([cube, { $count: 'n' }], { maxTimeMS: 50 }).toArray())).code).toBe(
    50,
  );
});

describe('$out and $merge of a pipeline that a reader runs', () => {
  test('make a collection, and replace the one that is read', async () => {
    await large.aggregate([{ $set: { copy: true } }, { $out: 'copy' }]).toArray();
    const copy = running.db.collection<Document>('copy');
    expect(await copy.countDocuments({ copy: true })).toBe(total);
    await copy
      .aggregate([{ $match: { 'nested.deep': { $lt: 5 } } }, { $set: { own: 1 } }, { $out: 'copy' }])
      .toArray();
    const left = Array.from({ length: total }, (_, n) => n % 17).filter((deep) => deep < 5).length;
    expect([await copy.countDocuments(), await copy.countDocuments({ own: 1 })]).toEqual([left, left]);
  });

  test('change each document of the collection that is read once', async () => {
    await large.aggregate([{ $out: 'merged' }]).toArray();
    const merged = running.db.collection<Document>('merged');
    await merged.aggregate([{ $set: { n: { $add: ['$n', 1] } } }, { $merge: 'merged' }]).toArray();
    const wrong = await merged.countDocuments({ $expr: { $ne: ['$n', { $add: ['$_id', 1] }] } });
    expect([wrong, await merged.countDocuments()]).toEqual([0, total]);
  });
});

test('sessions are listed until they are ended', async () => {
  const session = running.client.startSession();
  await large.findOne({}, { session });
  const [id] = [session.id?.id];
  const known = (): Promise<Document[]> =>
    running.db.aggregate([{ $listLocalSessions: {} }, { $match: { '_id.id': id } }]).toArray();
  expect(await known()).toHaveLength(1);
  await running.db.admin().command({ endSessions: [session.id] });
  expect(await known()).toEqual([]);
  await session.endSession();
});

test('a stop while readers are busy ends soon, and what they were asked ends with an error', async () => {
  const directory = temporaryDirectory();
  const server = await startEmbedded({ directory: directory.path });
  const client = await MongoClient.connect(server.uri, { retryReads: false });
  const busy = client.db().collection<Document>('busy');
  await busy.insertMany(Array.from({ length: 3000 }, (_, n) => ({ n })));
  const cube = [
    { $lookup: { from: 'busy', pipeline: [{ $match: { n: { $mod: [2, 0] } } }], as: 'all' } },
    { $count: 'n' },
  ];
  const asked = Array.from({ length: 4 }, () => errorOf(busy.aggregate(cube).toArray()));
  await busy.findOne();
  await server.stop();
  for (const error of await Promise.all(asked))
    expect(error.message).toMatch(/closed|interrupted|stopping|ENOENT|not open/);
  await client.close();
  directory.remove();
});
