import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Collection, Decimal128, type Document, Long } from 'mongodb';
import { type Running, seededRandom, startServer } from './support.ts';

/**
 * The same random documents in two collections, one with indexes and one without: whatever is asked, both must give
 * the same answer. After that the documents are changed and asked again.
 */
let running: Running;
let indexed: Collection<Document>;
let plain: Collection<Document>;

beforeAll(async () => {
  running = await startServer();
  indexed = running.db.collection('indexed');
  plain = running.db.collection('plain');
});
afterAll(() => running.stop());

const indexes: [Document, Document][] = [
  [{ a: 1 }, {}],
  [{ b: -1, a: 1 }, {}],
  [{ 'c.d': 1, 'c.e': 1 }, {}],
  [{ s: 1 }, { sparse: true }],
  [{ s: -1, b: 1 }, {}],
  [{ b: 1 }, { name: 'partial', partialFilterExpression: { a: { $gt: 2 } } }],
];

type Random = () => number;
const pick = <Item>(random: Random, list: readonly Item[]): Item =>
  list[Math.floor(random() * list.length)] as Item;

const strings = ['', 'a', 'ab', 'abc', 'abd', 'b', 'B', 'é', 'a\0b', '\u{1F600}', '\uFFFD'];

/** Without arrays and Decimal128 values indexes stay exact, and their bounds are trusted without a second look. */
let rich = true;

function scalar(random: Random): unknown {
  return pick<() => unknown>(random, [
    () => Math.floor(random() * 6),
    () => Math.floor(random() * 6),
    () => Math.floor(random() * 12) / 2,
    () => Long.fromNumber(Math.floor(random() * 4)),
    () => (rich ? Decimal128.fromString(`${Math.floor(random() * 4)}.${pick(random, ['0', '1', '5'])}`) : 1),
    () => pick(random, strings),
    () => pick(random, strings),
    () => null,
    () => random() < 0.5,
    () => new Date(Math.floor(random() * 4)),
    () => Number.NaN,
    () => ({ d: Math.floor(random() * 3) }),
  ])();
}

function value(random: Random): unknown {
  if (!rich || random() > 0.12) return scalar(random);
  return Array.from({ length: Math.floor(random() * 4) }, () =>
    random() < 0.1 ? [scalar(random)] : scalar(random),
  );
}

function subdocument(random: Random): unknown {
  const part = (): Document => ({
    ...(random() < 0.8 ? { d: value(random) } : {}),
    ...(random() < 0.8 ? { e: scalar(random) } : {}),
  });
  const choice = random();
  if (!rich || choice < 0.5) return part();
  return choice < 0.9 ? Array.from({ length: Math.floor(random() * 4) }, part) : scalar(random);
}

function document(random: Random, _id: number): Document {
  const a = value(random);
  // Two arrays under one compound index are refused, so b holds an array only where a does not.
  const b = Array.isArray(a) || random() < 0.9 ? scalar(random) : value(random);
  return {
    _id,
    ...(random() < 0.9 ? { a } : {}),
    ...(random() < 0.9 ? { b } : {}),
    ...(random() < 0.8 ? { c: subdocument(random) } : {}),
    ...(random() < 0.7 ? { s: pick(random, strings) } : {}),
  };
}

function condition(random: Random): unknown {
  return pick<() => unknown>(random, [
    () => scalar(random),
    () => scalar(random),
    () => value(random),
    () => ({ $in: Array.from({ length: 1 + Math.floor(random() * 3) }, () => scalar(random)) }),
    () => ({ [pick(random, ['$gt', '$gte', '$lt', '$lte'])]: scalar(random) }),
    () => ({ [pick(random, ['$gt', '$gte', '$lt', '$lte'])]: scalar(random) }),
    () => ({ [pick(random, ['$gt', '$gte', '$lt', '$lte'])]: scalar(random) }),
    () => ({ $gte: scalar(random), $lt: scalar(random) }),
    () => ({ $ne: scalar(random) }),
    () => ({ $exists: random() < 0.5 }),
    () => ({ $not: { $gt: scalar(random) } }),
    () => ({ $regex: pick(random, ['^a', '^ab', '^é', 'b', '^a.*', '^ab?', '^$']) }),
    () => ({ $elemMatch: { $gte: scalar(random) } }),
    () => ({ $type: pick(random, ['number', 'string', 'array', 'null', 'double']) }),
  ])();
}

function filter(random: Random, depth = 0): Document {
  const result: Document = {};
  const fields = 1 + Math.floor(random() ** 2 * 3);
  for (let i = 0; i < fields; i++)
    result[pick(random, ['a', 'b', 'c.d', 'c.e', 's', '_id', 'a.0'])] = condition(random);
  if (depth === 0 && random() < 0.15) result.$or = [filter(random, 1), filter(random, 1)];
  if (depth === 0 && random() < 0.1) result.c = { $elemMatch: { d: scalar(random), e: condition(random) } };
  return result;
}

function sort(random: Random): Document {
  const keys = pick(random, [['a'], ['b', 'a'], ['s'], ['s', 'b'], ['c.d'], ['b']]);
  const direction = random() < 0.5 ? 1 : -1;
  const entries = keys.map((key) => [key, random() < 0.8 ? direction : -direction] as const);
  return { ...Object.fromEntries(entries), _id: 1 };
}

const show = (documents: Document[]): unknown[] => documents.map(({ _id }) => _id as unknown);

/** Some filters are refused, and then both sides must refuse them. */
async function ask(
  collection: Collection<Document>,
  query: Document,
  order: Document,
  limit: number,
): Promise<unknown> {
  try {
    return show(
      await collection
        .find(query)
        .sort(order as never)
        .limit(limit)
        .toArray(),
    );
  } catch (error) {
    return (error as { code?: number }).code;
  }
}

async function compare(random: Random, queries: number): Promise<void> {
  for (let i = 0; i < queries; i++) {
    const query = filter(random);
    const order = sort(random);
    const limit = random() < 0.3 ? 5 : 0;
    const [left, right] = await Promise.all([
      ask(indexed, query, order, limit),
      ask(plain, query, order, limit),
    ]);
    if (JSON.stringify(left) !== JSON.stringify(right)) {
      expect({ query, order, limit, found: left }).toEqual({ query, order, limit, found: right });
    }
    if (i % 10 === 0 && Array.isArray(right)) {
      expect(await indexed.countDocuments(query)).toBe(await plain.countDocuments(query));
    }
  }
}

test.each([
  [1, true],
  [2, true],
  [3, false],
  [4, false],
])('seed %d: an index never changes an answer (arrays and decimals: %p)', async (seed, withAll) => {
  rich = withAll;
  const random = seededRandom(seed);
  await Promise.all([indexed.drop(), plain.drop()]);
  const documents = Array.from({ length: 250 }, (_, i) => document(random, i));
  for (const [key, options] of indexes.slice(0, 3)) await indexed.createIndex(key as never, options);
  await indexed.insertMany(documents);
  for (const [key, options] of indexes.slice(3)) await indexed.createIndex(key as never, options);
  await plain.insertMany(documents);
  await compare(random, 500);
  for (let i = 0; i < 150; i++) {
    const _id = Math.floor(random() * 250);
    const [one] = [document(random, _id)];
    const change = random() < 0.25 ? null : one;
    await Promise.all(
      [indexed, plain].map((collection) =>
        change
          ? collection.replaceOne({ _id } as Document, change)
          : collection.deleteOne({ _id } as Document),
      ),
    );
  }
  await compare(random, 250);
});
