import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { BSONSymbol, Code, DBRef, onDemand } from 'bson';
import { type Collection, Decimal128, type Document, Double, Long } from 'mongodb';
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

/** The fields of a document in BSON: their names, and where their values are. */
function elementsOf(bytes: Buffer, start: number): [string, number][] {
  return [...onDemand.parseToElements(bytes, start)].map(([, nameAt, nameLength, valueAt]) => [
    bytes.toString('utf8', nameAt, nameAt + nameLength),
    valueAt,
  ]);
}

/** Applies an update to one document and returns it without its _id. */
async function changed(
  before: Document,
  update: Document | Document[],
  options: Document = {},
): Promise<Document> {
  const { filter = {}, ...rest } = options;
  await items.insertOne({ _id: 1, ...before } as Document);
  await items.updateOne({ _id: 1, ...filter } as Document, update, rest);
  const { _id, ...after } = (await items.findOne({}, { promoteLongs: false })) ?? {};
  return after;
}

describe('update operators', () => {
  test.each<[string, Document, Document, Document]>([
    ['$set', { a: 1 }, { $set: { 'b.c': 2, a: [1] } }, { a: [1], b: { c: 2 } }],
    ['$set in an array', { a: [1] }, { $set: { 'a.3': 4 } }, { a: [1, null, null, 4] }],
    [
      '$unset',
      { a: 1, b: { c: 1, d: 2 }, e: [1, 2] },
      { $unset: { a: '', 'b.c': '', 'e.0': '', z: '' } },
      { b: { d: 2 }, e: [null, 2] },
    ],
    ['$inc', { a: 1 }, { $inc: { a: 2, b: -3 } }, { a: 3, b: -3 }],
    ['$mul', { a: 3 }, { $mul: { a: 1.5, b: 2 } }, { a: 4.5, b: 0 }],
    ['$min', { a: 3, b: 3 }, { $min: { a: 1, b: 5, c: 2 } }, { a: 1, b: 3, c: 2 }],
    ['$max', { a: 3, b: 3 }, { $max: { a: 1, b: 5, c: 2 } }, { a: 3, b: 5, c: 2 }],
    ['$rename', { a: 1, b: { c: 2 } }, { $rename: { a: 'x.y', 'b.c': 'd' } }, { b: {}, x: { y: 1 }, d: 2 }],
    ['$push', { a: [1] }, { $push: { a: 2, b: 'x' } }, { a: [1, 2], b: ['x'] }],
    [
      '$push $each $position',
      { a: [1, 4] },
      { $push: { a: { $each: [2, 3], $position: 1 } } },
      { a: [1, 2, 3, 4] },
    ],
    [
      '$push $sort $slice',
      { a: [{ n: 3 }] },
      { $push: { a: { $each: [{ n: 1 }, { n: 2 }], $sort: { n: -1 }, $slice: 2 } } },
      { a: [{ n: 3 }, { n: 2 }] },
    ],
    ['$push $slice from the end', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: -2 } } }, { a: [2, 3] }],
    [
      '$addToSet',
      { a: [1, { x: 1 }] },
      { $addToSet: { a: { $each: [1, { x: 1 }, 2] } } },
      { a: [1, { x: 1 }, 2] },
    ],
    ['$pull value', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
    ['$pull condition', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
    ['$pull by fields', { a: [{ x: 1, y: 1 }, { x: 2 }] }, { $pull: { a: { x: 1 } } }, { a: [{ x: 2 }] }],
    ['$pullAll', { a: [1, 2, 3, 1] }, { $pullAll: { a: [1, 3] } }, { a: [2] }],
    ['$pop', { a: [1, 2, 3], b: [1, 2] }, { $pop: { a: 1, b: -1 } }, { a: [1, 2], b: [2] }],
  ])('%s', async (_name, before, update, after) => {
    expect(await changed(before, update)).toEqual(after);
  });

  test('$currentDate sets the time of now', async () => {
    const after = await changed({}, { $currentDate: { at: true, stamp: { $type: 'timestamp' } } });
    expect(after.at).toBeInstanceOf(Date);
    expect(after.stamp._bsontype).toBe('Timestamp');
  });

  test('a positional $ is the element that the filter matched', async () => {
    const list = [
      { k: 'a', n: 1 },
      { k: 'b', n: 2 },
    ];
    expect(await changed({ list }, { $inc: { 'list.$.n': 10 } }, { filter: { 'list.k': 'b' } })).toEqual({
      list: [
        { k: 'a', n: 1 },
        { k: 'b', n: 12 },
      ],
    });
  });

  test('$[] and $[name] are all elements and those an array filter picks', async () => {
    expect(await changed({ a: [1, 2, 3] }, { $inc: { 'a.$[]': 1 } })).toEqual({ a: [2, 3, 4] });
    await items.deleteMany({});
    const options = { arrayFilters: [{ 'x.n': { $gt: 1 } }, { y: { $lt: 5 } }] };
    const before = {
      a: [
        { n: 1, v: [1] },
        { n: 2, v: [3, 7] },
      ],
    };
    expect(await changed(before, { $set: { 'a.$[x].v.$[y]': 0 } }, options)).toEqual({
      a: [
        { n: 1, v: [1] },
        { n: 2, v: [0, 7] },
      ],
    });
  });

  test('a pipeline computes from the document itself', async () => {
    const update = [{ $set: { total: { $add: ['$a', '$b'] }, 'deep.x': 1 } }, { $unset: 'b' }];
    expect(await changed({ a: 1, b: 2 }, update)).toEqual({ a: 1, total: 3, deep: { x: 1 } });
  });

  test('a replacement keeps the _id', async () => {
    await items.insertOne({ _id: 1, a: 1 } as Document);
    await items.replaceOne({ a: 1 }, { b: 2 });
    expect(await items.find().toArray()).toEqual([{ _id: 1, b: 2 }]);
    expect((await errorOf(items.replaceOne({ b: 2 }, { _id: 2 } as Document))).code).toBe(66);
  });
});

describe('numbers', () => {
  test('$inc on a Long stays exact beyond 2^53', async () => {
    const after = await changed({ n: Long.fromString('9007199254740993') }, { $inc: { n: 2 } });
    expect(after.n.toString()).toBe('9007199254740995');
  });

  test('an int that overflows becomes a Long, and a Long that overflows is refused', async () => {
    const after = await changed({ n: 2147483647 }, { $inc: { n: 1 } });
    expect(after.n).toEqual(Long.fromString('2147483648'));
    await items.updateOne({}, { $set: { n: Long.MAX_VALUE } });
    expect((await errorOf(items.updateOne({}, { $inc: { n: 1 } }))).code).toBe(2);
  });

  test('Decimal128 is kept and compared exactly, and arithmetic with it is refused', async () => {
    const n = Decimal128.fromString('0.10');
    const after = await changed({ n, m: 3 }, { $max: { m: Decimal128.fromString('3.1'), n: 0.05 } });
    expect([String(after.n), String(after.m)]).toEqual(['0.10', '3.1']);
    for (const update of [{ $inc: { n: 1 } }, { $mul: { k: n } }, [{ $set: { k: { $sum: ['$n', 1] } } }]])
      expect((await errorOf(items.updateOne({}, update))).code).toBe(238);
  });

  test('a double stays a double', async () => {
    await changed({ n: new Double(1.5) }, { $inc: { n: 0.5 } });
    expect(await items.countDocuments({ n: { $type: 'double', $eq: 2 } })).toBe(1);
  });
});

describe('what mongoose does with updates', () => {
  const list = [{ a: 1 }, { b: 2 }, { a: 3 }, 4, [5]];
  test.each<[Document, unknown[]]>([
    [{ $or: [{ a: 1 }, { b: { $gt: 1 } }] }, [{ a: 3 }, 4, [5]]],
    [{ $and: [{ a: { $gt: 0 } }, { a: { $lt: 2 } }] }, [{ b: 2 }, { a: 3 }, 4, [5]]],
    [{ $nor: [{ a: 1 }] }, [{ a: 1 }, 4, [5]]],
  ])('$pull takes the filter %j for the elements that are documents', async (filter, left) => {
    expect(await changed({ list }, { $pull: { list: filter } })).toEqual({ list: left });
  });

  test('$pull takes references by their parts', async () => {
    const refs = [new DBRef('users', 1 as never), new DBRef('users', 2 as never)];
    await changed({ refs }, { $pull: { refs: { $id: 1 } } });
    expect((await items.findOne())?.refs).toEqual([refs[1]]);
  });

  test('fields below the top may begin with a dollar', async () => {
    const update = { $set: { 'a.$price': 1, 'list.0.$x': 2 }, $inc: { 'a.$n': 5 }, $unset: { 'a.$old': 1 } };
    const before = { a: { $old: 1, kept: 1 }, list: [{ y: 1 }] };
    const after = { a: { kept: 1, $n: 5, $price: 1 }, list: [{ y: 1, $x: 2 }] };
    expect(await changed(before, update)).toEqual(after);
    expect(await items.countDocuments({ 'a.$price': 1 })).toBe(1);
  });
});

describe('refusals leave the document alone', () => {
  test.each<[Document, number]>([
    [{ $inc: { s: 1 } }, 14],
    [{ $inc: { n: 'x' } }, 14],
    [{ $push: { n: 1 } }, 2],
    [{ $set: { _id: 9 } }, 66],
    [{ $set: { a: 1, 'a.b': 2 } }, 40],
    [{ $set: { 'n.x': 1 } }, 28],
    [{ $foo: { a: 1 } }, 9],
    [{ $bit: { n: { or: 1 } } }, 238],
    [{ $set: { $x: 1 } }, 52],
    [{ $set: { 'list.$[0]x': 1 } }, 2],
    [{ $pull: { list: { $or: [] } } }, 2],
    [{ $pull: { list: { $id: 1, $or: {} } } }, 2],
    [{ $set: { 'list.$.x': 1 } }, 2],
    [{ $set: { 'n.$[].x': 1 } }, 2],
    [{ $set: { 'list.$[nobody]': 1 } }, 2],
  ])('%j is refused with %d', async (update, code) => {
    const before = { _id: 1, s: 'x', n: 1, list: [1] } as Document;
    await items.insertOne(before);
    expect((await errorOf(items.updateOne({}, update))).code).toBe(code);
    expect(await items.findOne()).toEqual(before);
  });
});

describe('names such as "200" keep their place', () => {
  /** The names in the stored bytes, in their order, which JavaScript's objects do not show. */
  const names = async (path: string[]): Promise<string[]> => {
    const [bytes] = await items.find({}, { raw: true }).toArray();
    let elements = elementsOf(bytes as unknown as Buffer, 0);
    for (const part of path) {
      const inner = elements.find(([name]) => name === part)?.[1] ?? 0;
      elements = elementsOf(bytes as unknown as Buffer, inner);
    }
    return elements.map(([name]) => name);
  };
  const counts = new Map<string, unknown>([
    ['total', 3],
    ['404', 1],
    [
      '200',
      new Map([
        ['x', 1],
        ['7', 2],
      ]),
    ],
  ]);

  test.each<[string, Document | Document[], string[]]>([
    ['another field changes', { $set: { a: 2 } }, ['total', '404', '200']],
    ['one of them changes', { $inc: { 'counts.404': 1 } }, ['total', '404', '200']],
    ['one is added', { $inc: { 'counts.100': 1 } }, ['total', '404', '200', '100']],
    ['one goes away', { $unset: { 'counts.404': 1 } }, ['total', '200']],
    ['a pipeline changes the document', [{ $set: { b: '$counts.total' } }], ['total', '404', '200']],
  ])('when %s', async (_when, update, order) => {
    await items.insertOne({ _id: 1, a: 1, counts } as Document);
    expect((await items.updateOne({}, update)).modifiedCount).toBe(1);
    expect(await names(['counts'])).toEqual(order);
    expect(await names(['counts', '200'])).toEqual(['x', '7']);
  });

  test('when they come to a document that had none', async () => {
    await items.insertOne({ _id: 1, counts: { total: 1 } } as Document);
    await items.updateOne({}, { $inc: { 'counts.500': 1 } });
    await items.updateOne({}, { $inc: { 'counts.200': 1, 7: 1 } });
    expect(await names(['counts'])).toEqual(['total', '500', '200']);
    expect(await names([])).toEqual(['_id', 'counts', '7']);
  });

  test('when the document is replaced', async () => {
    await items.insertOne({ _id: 1 } as Document);
    await items.replaceOne(
      {},
      new Map<string, unknown>([
        ['z', 1],
        ['9', counts],
      ]) as unknown as Document,
    );
    expect(await names([])).toEqual(['_id', 'z', '9']);
    expect(await names(['9'])).toEqual(['total', '404', '200']);
  });
});

test('code and the deprecated types of BSON are refused', async () => {
  for (const value of [new Code('f'), new Code('f', { a: 1 }), new BSONSymbol('s')]) {
    expect((await errorOf(items.insertOne({ value } as Document))).code).toBe(22);
    expect((await errorOf(items.updateOne({}, { $set: { value } }, { upsert: true }))).code).toBe(22);
    expect((await errorOf(items.find({ value }).toArray())).code).toBe(22);
  }
  expect(await items.countDocuments()).toBe(0);
});

describe('upserts', () => {
  test('begin with what the filter fixes', async () => {
    const result = await items.updateOne(
      { a: 1, 'b.c': { $eq: 2 }, d: { $gt: 5 } },
      { $set: { e: 3 }, $setOnInsert: { f: 4 } },
      { upsert: true },
    );
    expect(result.upsertedCount).toBe(1);
    expect(await items.findOne({}, { projection: { _id: 0 } })).toEqual({ a: 1, b: { c: 2 }, e: 3, f: 4 });
    await items.updateOne({ a: 1 }, { $setOnInsert: { f: 5 } }, { upsert: true });
    expect((await items.findOne())?.f).toBe(4);
  });

  test('may have the _id null', async () => {
    await items.updateOne({ _id: null } as unknown as Document, { $set: { a: 1 } }, { upsert: true });
    await items.replaceOne({ _id: null } as unknown as Document, { b: 1 }, { upsert: true });
    expect(await items.find().toArray()).toEqual([{ _id: null, b: 1 }]);
  });

  test('of findOneAndUpdate return the new document', async () => {
    const made = await items.findOneAndUpdate(
      { _id: 7 } as Document,
      { $inc: { n: 1 } },
      { upsert: true, returnDocument: 'after' },
    );
    expect(made).toEqual({ _id: 7, n: 1 });
    const before = await items.findOneAndUpdate(
      { _id: 7 } as Document,
      { $inc: { n: 1 } },
      { projection: { _id: 0 } },
    );
    expect(before).toEqual({ n: 1 });
  });
});

test('updateMany changes thousands, and counts what it changed', async () => {
  await items.insertMany(Array.from({ length: 3500 }, (_, n) => ({ n, even: n % 2 === 0 })));
  expect(await items.updateMany({ even: true }, { $set: { seen: true } })).toMatchObject({
    matchedCount: 1750,
    modifiedCount: 1750,
  });
  expect(await items.updateMany({ even: true }, { $set: { seen: true } })).toMatchObject({
    matchedCount: 1750,
    modifiedCount: 0,
  });
  expect(await items.countDocuments({ seen: true })).toBe(1750);
});

test('bulkWrite runs every kind of statement in order', async () => {
  const result = await items.bulkWrite([
    { insertOne: { document: { _id: 1, n: 1 } as Document } },
    { updateOne: { filter: { _id: 1 } as Document, update: { $inc: { n: 1 } } } },
    { updateOne: { filter: { _id: 2 } as Document, update: { $set: { n: 5 } }, upsert: true } },
    { replaceOne: { filter: { n: 5 }, replacement: { n: 6 } } },
    { deleteOne: { filter: { n: 2 } } },
  ]);
  expect(result).toMatchObject({
    insertedCount: 1,
    matchedCount: 2,
    modifiedCount: 2,
    deletedCount: 1,
    upsertedCount: 1,
  });
  expect(await items.find().toArray()).toEqual([{ _id: 2, n: 6 }]);
});

test('MongoClient.bulkWrite writes to several collections', async () => {
  const namespace = `${running.db.databaseName}.items`;
  const other = `${running.db.databaseName}.others`;
  await running.db.collection('others').drop();
  const result = await running.client
    .bulkWrite(
      [
        { namespace, name: 'insertOne', document: { _id: 1, n: 1 } },
        { namespace: other, name: 'updateOne', filter: { k: 1 }, update: { $set: { n: 2 } }, upsert: true },
        { namespace, name: 'insertOne', document: { _id: 1 } },
        { namespace, name: 'updateMany', filter: {}, update: [{ $set: { n: { $add: ['$n', '$$plus'] } } }] },
        { namespace: other, name: 'deleteMany', filter: { n: 3 } },
      ] as never,
      { ordered: false, verboseResults: true, let: { plus: 5 } },
    )
    .catch((error) => error.partialResult);
  expect(result).toMatchObject({
    insertedCount: 1,
    upsertedCount: 1,
    matchedCount: 1,
    modifiedCount: 1,
    deletedCount: 0,
  });
  expect(await items.find().toArray()).toEqual([{ _id: 1, n: 6 }]);
});

test('a variable is a value, not a path', async () => {
  await items.insertMany([
    { a: '$b', b: 1 },
    { a: 1, b: 1 },
  ]);
  const found = await items
    .find({ $expr: { $eq: ['$a', '$$wanted'] } }, { let: { wanted: { $literal: '$b' } } })
    .toArray();
  expect(found.map(({ a }) => a)).toEqual(['$b']);
});
