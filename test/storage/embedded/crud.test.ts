import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Collection,
  DBRef,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
} from 'mongodb';
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

const ids = async (filter: Document): Promise<unknown[]> =>
  (await items.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

describe('insert and find', () => {
  test('give back what was stored, field by field', async () => {
    const document = {
      _id: new ObjectId(),
      text: 'Grüße 😀',
      int: 7,
      double: 1.5,
      long: Long.fromString('9007199254740993'),
      date: new Date(0),
      nothing: null,
      list: [1, 'two', { three: 3 }],
      nested: { a: { b: [] } },
      regex: /^a/i,
    };
    await items.insertOne(document);
    expect(await items.findOne({ _id: document._id }, { promoteLongs: false })).toEqual(document);
  });

  test('put _id in front and make one when there is none', async () => {
    await running.db.command({ insert: 'items', documents: [{ a: 1 }, { b: 2, _id: 5 }] });
    const found = await items.find().toArray();
    expect(found.map((document) => Object.keys(document))).toEqual([
      ['_id', 'a'],
      ['_id', 'b'],
    ]);
    expect(found[0]?._id).toBeInstanceOf(ObjectId);
  });

  test('keep number types through storage and through an update of another field', async () => {
    await items.insertOne({ _id: 1, a: new Double(3), b: Long.fromNumber(4), c: 5 } as Document);
    await items.updateOne({ _id: 1 } as Document, { $set: { d: 1 } });
    const types = async (name: string, type: string): Promise<number> =>
      items.countDocuments({ [name]: { $type: type } });
    expect(await Promise.all([types('a', 'double'), types('b', 'long'), types('c', 'int')])).toEqual([
      1, 1, 1,
    ]);
  });

  test('report every failing document of an unordered insert and stop at the first of an ordered one', async () => {
    const documents = [{ _id: 1 }, { _id: 1 }, { _id: 2 }, { _id: 2 }, { _id: 3 }] as Document[];
    const unordered = await errorOf(items.insertMany(documents, { ordered: false }));
    expect((unordered.writeErrors as { index: number }[]).map(({ index }) => index)).toEqual([1, 3]);
    expect(await ids({})).toEqual([1, 2, 3]);
    await items.deleteMany({});
    const ordered = await errorOf(items.insertMany(documents));
    expect(ordered.code).toBe(11000);
    expect(await ids({})).toEqual([1]);
  });

  test.each([[[1]], [/x/]])('refuse %p as an _id', async (_id) => {
    expect((await errorOf(items.insertOne({ _id } as Document))).code).toBe(53);
  });
});

describe('filters', () => {
  beforeEach(async () => {
    await items.insertMany([
      { _id: 1, n: 1, s: 'apple', list: [1, 2, 3], sub: { a: 1, b: 2 } },
      { _id: 2, n: 2.5, s: 'Banana', list: [], sub: { b: 2, a: 1 } },
      {
        _id: 3,
        n: null,
        s: 'cherry',
        list: [
          { x: 1, y: 2 },
          { x: 3, y: 4 },
        ],
      },
      { _id: 4, s: 'date', list: [[1, 2]], when: new Date(1000) },
      { _id: 5, n: '2', list: 3, flags: 5 },
    ] as Document[]);
  });

  test.each<[Document, number[]]>([
    [{ n: { $gt: 1 } }, [2]],
    [{ n: { $gte: 1, $lt: 3 } }, [1, 2]],
    [{ n: null }, [3, 4]],
    [{ n: { $exists: false } }, [4]],
    [{ n: { $ne: 1 } }, [2, 3, 4, 5]],
    [{ n: { $nin: [1, null] } }, [2, 5]],
    [{ n: { $type: 'string' } }, [5]],
    [{ n: { $type: ['null', 'int'] } }, [1, 3]],
    [{ list: 3 }, [1, 5]],
    [{ list: [] }, [2]],
    [{ list: [1, 2] }, [4]],
    [{ list: { $size: 3 } }, [1]],
    [{ list: { $all: [1, 3] } }, [1]],
    [{ 'list.x': 3 }, [3]],
    [{ 'list.0': 1 }, [1, 4]],
    [{ 'list.1.y': 4 }, [3]],
    [{ list: { $elemMatch: { x: 1, y: 4 } } }, []],
    [{ list: { $elemMatch: { x: 1, y: 2 } } }, [3]],
    [{ list: { $elemMatch: { $gte: 2, $lt: 3 } } }, [1]],
    [{ 'list.x': 1, 'list.y': 4 }, [3]],
    [{ sub: { a: 1, b: 2 } }, [1]],
    [{ 'sub.a': 1 }, [1, 2]],
    [{ s: /an/ }, [2]],
    [{ s: { $regex: '^b', $options: 'i' } }, [2]],
    [{ s: { $not: /e/ } }, [2, 5]],
    [{ s: { $in: [/^a/, 'date'] } }, [1, 4]],
    [{ $or: [{ n: 1 }, { s: 'date' }] }, [1, 4]],
    [{ $nor: [{ n: 1 }, { s: 'date' }] }, [2, 3, 5]],
    [{ $and: [{ n: { $gt: 0 } }, { s: /^B/ }] }, [2]],
    [{ n: { $not: { $gt: 1 } } }, [1, 3, 4, 5]],
    [{ n: { $mod: [2, 0] } }, [2]],
    [{ n: { $gt: new MinKey() } }, [1, 2, 3, 4, 5]],
    [{ n: { $lte: new MaxKey() } }, [1, 2, 3, 4, 5]],
    [{ n: { $lt: new MinKey() } }, []],
    [{ n: { $ne: 1, $comment: 'why' } }, [2, 3, 4, 5]],
    [{ 'list.x': { $ne: 1, $comment: 'an empty array on the way' } }, [1, 2, 4, 5]],
    [{ $expr: { $gt: ['$n', 2] } }, [2, 5]],
    [{ when: { $lte: new Date(1000) } }, [4]],
    [{ constructor: { $exists: true } }, []],
  ])('%j finds %j', async (filter, expected) => {
    expect(await ids(filter)).toEqual(expected);
  });

  test('references in arrays are found by their parts', async () => {
    const refs = running.db.collection<Document>('references');
    const to = (...ids: number[]) => ids.map((id) => new DBRef('users', id as never));
    await refs.insertMany([
      { _id: 1, to: to(1, 2) },
      { _id: 2, to: to(2, 3) },
      { _id: 3, to: [{ id: 1 }] },
    ] as never);
    const found = async (element: Document) =>
      (await refs.find({ to: { $elemMatch: element } }).toArray()).map(({ _id }) => _id);
    expect(await found({ $id: 1 })).toEqual([1]);
    expect(await found({ $ref: 'users', $id: 2 })).toEqual([1, 2]);
    expect(await found({ $or: [{ $id: 1 }, { $id: 3 }] })).toEqual([1, 2]);
    expect(await found({ id: 1, $or: [{ $id: { $exists: false } }, { id: 1 }] })).toEqual([3]);
    // Outside of an array no field of a document is called so.
    expect((await errorOf(refs.find({ $id: 1 } as never).toArray())).code).toBe(2);
  });

  test('sort by BSON order, arrays by their least or greatest element', async () => {
    const order = async (sort: Document): Promise<unknown[]> =>
      (
        await items
          .find()
          .sort(sort as never)
          .toArray()
      ).map(({ _id }) => _id);
    expect(await order({ n: 1, _id: 1 })).toEqual([3, 4, 1, 2, 5]);
    expect(await order({ n: -1, _id: -1 })).toEqual([5, 2, 1, 4, 3]);
    expect(await order({ list: 1 })).toEqual([2, 1, 5, 3, 4]);
    expect(await order({ list: -1, _id: 1 })).toEqual([4, 3, 1, 5, 2]);
  });

  test('apply skip, limit and projection', async () => {
    const page = await items
      .find({}, { projection: { s: 1, 'sub.a': 1 } })
      .sort({ _id: 1 })
      .skip(1)
      .limit(2)
      .toArray();
    expect(page).toEqual([
      { _id: 2, s: 'Banana', sub: { a: 1 } },
      { _id: 3, s: 'cherry' },
    ]);
    expect(
      await items.findOne({ _id: 1 } as Document, { projection: { _id: 0, list: { $slice: -2 }, s: 1 } }),
    ).toEqual({ s: 'apple', list: [2, 3] });
    expect(await items.findOne({ 'list.x': 3 }, { projection: { 'list.$': 1 } })).toEqual({
      _id: 3,
      list: [{ x: 3, y: 4 }],
    });
    expect(
      await items.findOne({ _id: 3 } as Document, { projection: { list: { $elemMatch: { x: 3 } } } }),
    ).toEqual({ _id: 3, list: [{ x: 3, y: 4 }] });
    expect(await items.findOne({ _id: 1 } as Document, { projection: { list: 0, 'sub.b': 0 } })).toEqual({
      _id: 1,
      n: 1,
      s: 'apple',
      sub: { a: 1 },
    });
    expect(
      await items.findOne({ _id: 1 } as Document, { projection: { twice: { $multiply: ['$n', 2] } } }),
    ).toEqual({ _id: 1, twice: 2 });
  });

  test('tell fields apart whose names are alike', async () => {
    const long = 'é'.repeat(20);
    const numbers = { tear: 2, teak: 3, [long]: 4, team: 1 };
    await items.insertOne({ _id: 9, ...numbers } as Document);
    expect(await ids({ team: 1, [long]: 4 })).toEqual([9]);
    expect(await ids({ team: { $in: [2, 3] } })).toEqual([]);
  });

  test('hand out whole fields as they are kept', async () => {
    const kept = {
      b: new Double(1),
      é: 'ö',
      a: Long.fromNumber(2),
      _10: { z: null, y: [] },
      price: Decimal128.fromString('1.50'),
    };
    await items.insertOne({ _id: 9, ...kept } as Document);
    const found = async (projection: Document) => {
      const options = { projection, promoteValues: false };
      return Object.entries((await items.findOne({ _id: 9 } as Document, options)) ?? {});
    };
    const [id, ...fields] = Object.entries({ _id: new Int32(9), ...kept });
    const [b, umlaut, a, ten, price] = fields;
    expect(await found({ a: 1, b: true, absent: 1 })).toEqual([id, b, a]);
    expect(await found({ price: 1, é: 1, _id: 0 })).toEqual([umlaut, price]);
    expect(await found({ _id: 1 })).toEqual([id]);
    expect(await found({ _id: 0 })).toEqual([b, umlaut, a, ten, price]);
    expect(await found({ b: 0, _10: false })).toEqual([id, umlaut, a, price]);
    expect(await found({ a: 0, _id: 1 })).toEqual([id, b, umlaut, ten, price]);
  });

  test('do not leave out documents without the field when a sparse index meets MinKey', async () => {
    await items.createIndex({ n: 1 }, { sparse: true });
    expect(await ids({ n: { $gt: new MinKey(), $gte: new MinKey() } })).toEqual([1, 2, 3, 4, 5]);
  });

  test('keep the order of fields with integer names through a projection', async () => {
    // A Map, because a JavaScript object would list the numbers first.
    const codes = new Map<string, unknown>([
      ['b', 1],
      ['200', 2],
      ['404', 3],
      ['a', 4],
    ]);
    await items.insertOne({ _id: 9, codes } as Document);
    const pipeline = [{ $match: { _id: 9 } }, { $project: { 'codes.404': 0 } }];
    const kept = async (stages: Document[]): Promise<unknown> =>
      (
        await items
          .aggregate([
            ...stages,
            { $project: { names: { $map: { input: { $objectToArray: '$codes' }, in: '$$this.k' } } } },
          ])
          .toArray()
      )[0]?.names;
    expect(await kept(pipeline)).toEqual(['b', '200', 'a']);
    const included = [{ $match: { _id: 9 } }, { $project: { codes: { 200: 1, a: 1, b: 1 } } }];
    expect(await kept(included)).toEqual(['b', '200', 'a']);
  });

  test('count and list distinct values', async () => {
    expect(await items.countDocuments({ n: { $exists: true } })).toBe(4);
    expect(await items.estimatedDocumentCount()).toBe(5);
    expect(await items.countDocuments({}, { skip: 1, limit: 2 })).toBe(2);
    expect(await items.distinct('list.x')).toEqual([1, 3]);
    expect(await items.distinct('n', { _id: { $lt: 4 } } as Document)).toEqual([1, 2.5, null]);
  });

  test('ignore case under a collation of strength 2 and keep it otherwise', async () => {
    expect(await items.find({ s: 'banana' }).collation({ locale: 'en', strength: 2 }).toArray()).toHaveLength(
      1,
    );
    expect(await items.find({ s: 'banana' }).toArray()).toHaveLength(0);
  });
});

describe('cursors', () => {
  test('hand out a large result in batches, and none twice', async () => {
    await items.insertMany(Array.from({ length: 2500 }, (_, n) => ({ n })));
    const seen = new Set<unknown>();
    for await (const { n } of items.find({}, { batchSize: 97 })) seen.add(n);
    expect(seen.size).toBe(2500);
  });

  test('keep a reply below the message limit', async () => {
    const body = 'x'.repeat(5_000_000);
    for (let n = 0; n < 5; n++) await items.insertOne({ n, body });
    expect(await items.find().toArray()).toHaveLength(5);
  });

  test('end when killed or unknown', async () => {
    await items.insertMany(Array.from({ length: 300 }, (_, n) => ({ n })));
    const opened = await running.db.command({ find: 'items', batchSize: 10 });
    const id = opened.cursor.id;
    expect((await running.db.command({ killCursors: 'items', cursors: [id] })).cursorsKilled).toEqual([id]);
    expect((await errorOf(running.db.command({ getMore: id, collection: 'items' }))).code).toBe(43);
  });
});

describe('delete', () => {
  test('removes one or all', async () => {
    await items.insertMany(Array.from({ length: 2500 }, (_, n) => ({ n, even: n % 2 === 0 })));
    expect((await items.deleteOne({ even: true })).deletedCount).toBe(1);
    expect((await items.deleteMany({ even: true })).deletedCount).toBe(1249);
    expect(await items.countDocuments()).toBe(1250);
    expect((await items.findOneAndDelete({ even: false }, { sort: { n: -1 } }))?.n).toBe(2499);
  });
});
