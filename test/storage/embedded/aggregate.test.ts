import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Collection, Decimal128, type Document, Double, Long } from 'mongodb';
import { errorOf, type Running, startServer } from './support.ts';

let running: Running;
let sales: Collection<Document>;

beforeAll(async () => {
  running = await startServer();
  sales = running.db.collection('sales');
  await sales.createIndex({ shop: 1, at: 1 });
  await sales.insertMany(
    Array.from({ length: 1200 }, (_, n) => ({
      _id: n,
      shop: `s${n % 4}`,
      price: n % 10,
      at: new Date(Date.UTC(2026, 0, 1 + (n % 3), n % 24)),
      tags: n % 2 ? ['odd', `m${n % 3}`] : [],
      ...(n % 5 ? {} : { note: null }),
    })) as Document[],
  );
  await running.db.collection<Document>('shops').insertMany([
    { _id: 's0', name: 'zero' },
    { _id: 's1', name: 'one' },
    { _id: 's1b', name: 'one' },
  ] as Document[]);
});
afterAll(() => running.stop());

const run = (...pipeline: Document[]): Promise<Document[]> => sales.aggregate(pipeline).toArray();

describe('$group', () => {
  test('accumulates by a field', async () => {
    const groups = await run(
      {
        $group: {
          _id: '$shop',
          n: { $sum: 1 },
          total: { $sum: '$price' },
          mean: { $avg: '$price' },
          low: { $min: '$_id' },
          high: { $max: '$_id' },
        },
      },
      { $sort: { _id: 1 } },
    );
    expect(groups).toHaveLength(4);
    expect(groups[0]).toEqual({ _id: 's0', n: 300, total: 1200, mean: 4, low: 0, high: 1196 });
  });

  test('by several values, by a computed one, by none', async () => {
    expect(
      await run({ $group: { _id: { shop: '$shop', even: { $eq: [{ $mod: ['$_id', 2] }, 0] } } } }),
    ).toHaveLength(4);
    const days = await run(
      { $group: { _id: { $dateTrunc: { date: '$at', unit: 'day' } }, n: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    );
    expect(days).toEqual([1, 2, 3].map((day) => ({ _id: new Date(Date.UTC(2026, 0, day)), n: 400 })));
    expect(await run({ $group: { _id: null, n: { $sum: 1 } } })).toEqual([{ _id: null, n: 1200 }]);
    expect(await run({ $match: { shop: 'nobody' } }, { $group: { _id: null, n: { $sum: 1 } } })).toEqual([]);
  });

  test('collects, keeps the first and last, and counts', async () => {
    const [group] = await run(
      { $match: { shop: 's1' } },
      { $sort: { _id: 1 } },
      {
        $group: {
          _id: 1,
          first: { $first: '$_id' },
          last: { $last: '$_id' },
          prices: { $addToSet: '$price' },
          n: { $count: {} },
        },
      },
    );
    expect(group).toMatchObject({ first: 1, last: 1197, n: 300 });
    expect([...((group?.prices ?? []) as number[])].sort()).toEqual([1, 3, 5, 7, 9]);
  });

  test('gives percentiles and the median of numbers, in $setWindowFields too', async () => {
    const accumulators = {
      p: { $percentile: { input: '$n', p: [0.5, 0.95, 1], method: 'approximate' } },
      m: { $median: { input: '$n', method: 'approximate' } },
    };
    const documents = { $documents: Array.from({ length: 100 }, (_, i) => ({ n: 100 - i })) };
    const wanted = { p: [50, 95, 100], m: 50 };
    const group = { $group: { _id: null, ...accumulators } };
    expect(await running.db.aggregate([documents, group]).toArray()).toEqual([{ _id: null, ...wanted }]);
    const windows = { $setWindowFields: { sortBy: { n: 1 }, output: accumulators } };
    expect((await running.db.aggregate([documents, windows]).toArray())[9]).toEqual({ n: 10, ...wanted });
  });

  test('groups equal numbers of any type, and no others', async () => {
    const keys = running.db.collection('keys');
    const decimals = ['0.1', '0.10', '0.1000000000000000055', '2', '9007199254740993'].map((text) =>
      Decimal128.fromString(text),
    );
    const longs = [
      Long.fromNumber(2),
      Long.fromString('9007199254740993'),
      Long.fromString('9007199254740992'),
    ];
    await keys.insertMany(
      [...decimals, ...longs, 2, new Double(2), 2 ** 53, 0.1].map((k) => ({ k, in: [k] })),
    );
    for (const _id of ['$k', '$in', { k: '$k' }]) {
      const groups = await keys.aggregate([{ $group: { _id, n: { $sum: 1 } } }]).toArray();
      expect(groups.map(({ n }) => n).sort()).toEqual([1, 1, 2, 2, 2, 4]);
    }
    const [set] = await keys.aggregate([{ $group: { _id: 1, all: { $addToSet: '$k' } } }]).toArray();
    expect(set?.all).toHaveLength(6);
  });

  test('adds Longs without rounding', async () => {
    const longs = running.db.collection('longs');
    await longs.insertMany([
      { n: Long.fromString('9007199254740993') },
      { n: Long.fromString('9007199254740993') },
      { n: 1 },
    ]);
    const [group] = await longs
      .aggregate([{ $group: { _id: null, sum: { $sum: '$n' } } }], { promoteLongs: false })
      .toArray();
    expect(String(group?.sum)).toBe('18014398509481987');
    const whole = { $documents: [{ n: Number.MAX_SAFE_INTEGER }, { n: 2 }, { n: 2 }] };
    const pipeline = [whole, { $group: { _id: null, sum: { $sum: '$n' } } }];
    const [beyond] = await running.db.aggregate(pipeline, { promoteLongs: false }).toArray();
    expect(String(beyond?.sum)).toBe('9007199254740995');
  });
});

describe('other stages', () => {
  test('$match, $sort, $skip, $limit alone give the documents as stored', async () => {
    const found = await run(
      { $match: { shop: 's2' } },
      { $sort: { at: -1, _id: 1 } },
      { $skip: 1 },
      { $limit: 2 },
    );
    expect(found.map(({ shop }) => shop)).toEqual(['s2', 's2']);
    expect(await sales.countDocuments({ shop: 's2' })).toBe(300);
    expect(await run({ $match: { price: 3 } }, { $count: 'n' })).toEqual([{ n: 120 }]);
    expect(await run({ $limit: 5 }, { $skip: 2 }, { $count: 'n' })).toEqual([{ n: 3 }]);
  });

  test('$project, $addFields, $unset, $replaceRoot', async () => {
    const [first] = await run(
      { $match: { _id: 7 } },
      { $addFields: { 'x.double': { $multiply: ['$price', 2] }, tags: { $size: '$tags' } } },
      { $project: { x: 1, tags: 1, when: { $dateToString: { date: '$at', format: '%Y-%m' } } } },
    );
    expect(first).toEqual({ _id: 7, tags: 2, x: { double: 14 }, when: '2026-01' });
    expect(await run({ $match: { _id: 7 } }, { $unset: ['tags', 'at', 'shop'] })).toEqual([
      { _id: 7, price: 7 },
    ]);
    expect(await run({ $match: { _id: 7 } }, { $replaceRoot: { newRoot: { p: '$price' } } })).toEqual([
      { p: 7 },
    ]);
    expect(
      await run(
        { $match: { _id: 7 } },
        {
          $project: {
            _id: 0,
            price: 1,
            gone: '$missing',
            c: { $cond: [{ $gt: ['$price', 5] }, 'high', 'low'] },
          },
        },
      ),
    ).toEqual([{ price: 7, c: 'high' }]);
  });

  test('$unwind', async () => {
    expect(await run({ $unwind: '$tags' }, { $count: 'n' })).toEqual([{ n: 1200 }]);
    expect(
      await run({ $unwind: { path: '$tags', preserveNullAndEmptyArrays: true } }, { $count: 'n' }),
    ).toEqual([{ n: 1800 }]);
    expect(
      await run(
        { $match: { _id: 1 } },
        { $unwind: { path: '$tags', includeArrayIndex: 'i' } },
        { $project: { i: 1, tags: 1, _id: 0 } },
      ),
    ).toEqual([
      { tags: 'odd', i: 0 },
      { tags: 'm1', i: 1 },
    ]);
  });

  test('$lookup by equality and by pipeline', async () => {
    const byName = await run(
      { $match: { _id: { $lt: 3 } } },
      { $lookup: { from: 'shops', localField: 'shop', foreignField: '_id', as: 'found' } },
      { $sort: { _id: 1 } },
    );
    expect(byName.map(({ found }) => found)).toEqual([
      [{ _id: 's0', name: 'zero' }],
      [{ _id: 's1', name: 'one' }],
      [],
    ]);
    const [joined] = await run(
      { $match: { _id: 1 } },
      {
        $lookup: {
          from: 'shops',
          let: { shop: '$shop' },
          pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$shop'] } } }, { $project: { name: 1, _id: 0 } }],
          as: 'found',
        },
      },
    );
    expect(joined?.found).toEqual([{ name: 'one' }]);
  });

  test('$facet, $bucket, $sortByCount, $setWindowFields, $unionWith', async () => {
    const [facets] = await run({
      $facet: {
        n: [{ $count: 'all' }],
        top: [{ $sort: { price: -1, _id: 1 } }, { $limit: 1 }, { $project: { price: 1 } }],
      },
    });
    expect(facets).toEqual({ n: [{ all: 1200 }], top: [{ _id: 9, price: 9 }] });
    expect(
      await run({ $bucket: { groupBy: '$price', boundaries: [0, 5, 10], output: { n: { $sum: 1 } } } }),
    ).toEqual([
      { _id: 0, n: 600 },
      { _id: 5, n: 600 },
    ]);
    expect((await run({ $unwind: '$tags' }, { $sortByCount: '$tags' }))[0]).toEqual({
      _id: 'odd',
      count: 600,
    });
    const windows = await run(
      { $match: { _id: { $lt: 3 } } },
      {
        $setWindowFields: {
          sortBy: { _id: 1 },
          output: { running: { $sum: '$price', window: { documents: ['unbounded', 'current'] } } },
        },
      },
    );
    expect(windows.map(({ running: sum }) => sum)).toEqual([0, 1, 3]);
    expect(await run({ $match: { _id: 1 } }, { $unionWith: 'shops' }, { $count: 'n' })).toEqual([{ n: 4 }]);
  });

  test('a $facet whose pipelines end early, late or not at all', async () => {
    const [facets] = await run(
      { $match: { shop: 's1' } },
      {
        $facet: {
          first: [{ $limit: 1 }, { $project: { _id: 1 } }],
          all: [],
          sums: [{ $group: { _id: '$price', n: { $sum: 1 } } }, { $sort: { _id: 1 } }, { $limit: 2 }],
          windows: [{ $setWindowFields: { sortBy: { _id: 1 }, output: { k: { $sum: 1 } } } }, { $skip: 299 }],
        },
      },
    );
    expect(facets).toMatchObject({
      first: [{}],
      sums: [{ _id: 1, n: 60 }, { _id: 3 }],
      windows: [{ k: 300 }],
    });
    expect(facets?.all).toHaveLength(300);
    expect(facets?.all[0]).not.toHaveProperty('k');
    const failing = { $facet: { a: [{ $project: { x: { $divide: [1, 0] } } }], b: [{ $sort: { _id: 1 } }] } };
    expect((await errorOf(run(failing))).code).toBeDefined();
  });

  test('$bucket puts values beyond the boundaries into the default, or fails', async () => {
    const bucket = { groupBy: '$price', boundaries: [2, 4] };
    expect(await run({ $bucket: { ...bucket, default: 'rest' } })).toEqual([
      { _id: 2, count: 240 },
      { _id: 'rest', count: 960 },
    ]);
    expect((await errorOf(run({ $bucket: bucket }))).code).toBe(40066);
    expect((await errorOf(run({ $bucket: { ...bucket, boundaries: [4, 2] } }))).code).toBe(40194);
  });

  test('$documents and variables', async () => {
    expect(
      await running.db.aggregate([{ $documents: [{ a: 1 }, { a: 2 }] }, { $match: { a: 2 } }]).toArray(),
    ).toEqual([{ a: 2 }]);
    expect(
      await sales
        .aggregate([{ $match: { $expr: { $eq: ['$_id', '$$wanted'] } } }, { $count: 'n' }], {
          let: { wanted: 3 },
        })
        .toArray(),
    ).toEqual([{ n: 1 }]);
  });
});

describe('output', () => {
  const byShop: Document = { $group: { _id: '$shop', n: { $sum: 1 } } };
  const totals = (): Collection<Document> => running.db.collection('totals');
  const stored = (): Promise<Document[]> => totals().find().sort({ _id: 1 }).toArray();

  test('$out replaces a collection and keeps its indexes', async () => {
    await totals().insertOne({ old: true });
    await totals().createIndex({ n: 1 });
    expect(await run(byShop, { $match: { _id: { $ne: 's3' } } }, { $out: 'totals' })).toEqual([]);
    expect(await stored()).toEqual(['s0', 's1', 's2'].map((_id) => ({ _id, n: 300 })));
    expect(
      await totals()
        .find({ n: { $gt: 1 } })
        .hint('n_1')
        .toArray(),
    ).toHaveLength(3);
    expect((await errorOf(run({ $out: 'totals' }, { $match: {} }))).code).toBe(40601);
  });

  test('$merge updates what is there and inserts what is not', async () => {
    await totals().updateOne({ _id: 's0' } as Document, { $set: { kept: 1 } });
    await run({ $match: { shop: 's0' } }, { $limit: 3 }, byShop, { $merge: 'totals' });
    expect((await stored())[0]).toEqual({ _id: 's0', n: 3, kept: 1 });
    await run(byShop, { $merge: { into: 'totals', whenMatched: 'keepExisting' } });
    expect((await stored()).map(({ n }) => n)).toEqual([3, 300, 300, 300]);
    await run(byShop, { $merge: { into: 'totals', whenMatched: 'replace' } });
    expect((await stored())[0]).toEqual({ _id: 's0', n: 300 });
    await totals().deleteOne({ _id: 's0' } as Document);
    await run(byShop, { $merge: { into: 'totals', whenNotMatched: 'discard' } });
    expect(await stored()).toHaveLength(3);
  });

  test.each<[Document, number]>([
    [{ whenMatched: 'fail' }, 11000],
    [{ whenNotMatched: 'fail' }, 13113],
    [{ whenMatched: 'other' }, 9],
    [{ on: 'n' }, 238],
    [{ whenMatched: [{ $set: { n: 1 } }] }, 238],
    [{ let: { a: 1 } }, 238],
  ])('$merge with %j ends with error %d', async (options, code) => {
    expect((await errorOf(run(byShop, { $merge: { into: 'totals', ...options } }))).code).toBe(code);
  });
});

describe('refusals', () => {
  test.each<[Document, number]>([
    [{ $zap: 1 }, 40324],
    [{ $changeStream: {} }, 40573],
    [{ $vectorSearch: {} }, 31082],
    [{ $search: {} }, 31082],
    [{ $geoNear: {} }, 238],
    [{ $group: { n: { $sum: 1 } } }, 15955],
    [{ $group: { _id: 1, n: { $zap: 1 } } }, 15952],
    [{ $group: { _id: 1, n: { $topN: { n: 1, sortBy: { a: 1 }, output: '$a' } } } }, 238],
    [{ $group: { _id: 1, n: { $stdDevPop: '$price' } } }, 238],
    [{ $group: { _id: 1, n: { $percentile: { input: '$price', p: [2] } } } }, 9],
    [{ $group: { _id: 1, n: { $sum: Decimal128.fromString('1.5') } } }, 238],
    [{ $project: { a: { $toDecimal: '$price' } } }, 238],
    [{ $project: { a: { $function: { body: 'f', args: [], lang: 'js' } } } }, 238],
    [{ $setWindowFields: { output: { a: { $function: {} } } } }, 238],
    [{ $project: { a: { $zap: 1 } } }, 168],
    [{ $project: { a: '$$nobody' } }, 17276],
    [{ $project: { a: 1, b: 0 } }, 31254],
    [{ $limit: 0 }, 15958],
    [{ $match: { $text: { $search: 'x' } } }, 2],
  ])('%j is refused with %d', async (stage, code) => {
    expect((await errorOf(run(stage))).code).toBe(code);
  });

  test('a sort or a group beyond its memory ends with error 292', async () => {
    const big = running.db.collection('big');
    const body = 'x'.repeat(1_000_000);
    for (let n = 0; n < 11; n++)
      await big.insertMany(Array.from({ length: 10 }, (_, i) => ({ n: n * 10 + i, body })));
    expect((await errorOf(big.find().sort({ body: 1 }).toArray())).code).toBe(292);
    expect(
      (await errorOf(big.aggregate([{ $group: { _id: null, all: { $push: '$body' } } }]).toArray())).code,
    ).toBe(292);
    for (const stage of [{ $bucketAuto: { groupBy: '$n', buckets: 2 } }, { $facet: { all: [] } }])
      expect((await errorOf(big.aggregate([stage]).toArray())).code).toBe(292);
    expect(
      await big
        .find({}, { projection: { n: 1 } })
        .sort({ body: 1, n: -1 })
        .limit(1)
        .toArray(),
    ).toMatchObject([{ n: 109 }]);
    await big.drop();
  });
});
