import { BSONRegExp, type Document } from 'bson';
import type { CollationOptions } from 'mongodb';
import { type Mix, regexes, scalar, value } from './documents.ts';
import type { Sort } from './match-oracle.ts';
import type { Random } from './random.ts';

export type IndexDefinition = { key: Record<string, 1 | -1>; options: Document };

const collations: CollationOptions[] = [
  { locale: 'en', strength: 1 },
  { locale: 'en', strength: 2 },
];

const keys: Record<string, 1 | -1>[] = [
  { a: 1 },
  { a: -1 },
  { b: 1, a: -1 },
  { b: -1, a: -1, n: 1 },
  { a: 1, s: 1 },
  { s: 1 },
  { s: -1, b: 1 },
  { 'c.d': 1 },
  { 'c.d': 1, 'c.e': -1 },
  { 'c.e': -1, s: 1 },
  { c: 1 },
  { 'a.0': 1 },
  { 'c.0.d': 1 },
  { a: 1, _id: 1 },
];

const partials: Document[] = [
  { a: { $gt: 0 } },
  { s: { $exists: true } },
  { b: { $gte: 1, $lt: 3 } },
  { s: { $gte: 'b' } },
  { s: 'a' },
  { a: { $in: [1, 2, 'a'] } },
];

/** A handful of indexes of every kind, each under a name of its own. */
export function indexSet(random: Random): IndexDefinition[] {
  const chosen = new Set(random.list(5, () => random.pick(keys)));
  const definitions = [...chosen].map((key, i): IndexDefinition => {
    const kind = random.weighted<Document>([
      [5, () => ({})],
      [1.5, () => ({ sparse: true })],
      [1.5, () => ({ partialFilterExpression: random.pick(partials) })],
    ]);
    const collation = random.chance(0.25) ? { collation: random.pick(collations) } : {};
    return { key, options: { ...kind, ...collation, name: `index${i}` } };
  });
  return [{ key: { u: 1 }, options: { unique: true, sparse: true, name: 'unique' } }, ...definitions];
}

const paths = [
  'a',
  'a',
  'b',
  'b',
  'c.d',
  'c.d',
  'c.e',
  's',
  's',
  'c',
  '_id',
  'u',
  'a.0',
  'c.0.d',
  'c.d.e',
  'a.1',
  'x',
];
const types = [
  'number',
  'string',
  'array',
  'null',
  'double',
  'int',
  'long',
  'decimal',
  'object',
  'bool',
  'date',
  'regex',
];
const ranges = ['$gt', '$gte', '$lt', '$lte'];

const regex = (random: Random): BSONRegExp =>
  new BSONRegExp(random.pick(regexes), random.chance(0.15) ? 'i' : '');

function range(random: Random, mix: Mix): Document {
  const both = random.chance(0.3);
  return both
    ? {
        [random.pick(['$gt', '$gte'])]: scalar(random, mix),
        [random.pick(['$lt', '$lte'])]: scalar(random, mix),
      }
    : { [random.pick(ranges)]: random.chance(0.9) ? scalar(random, mix) : value(random, mix) };
}

const listed = (random: Random, mix: Mix): unknown[] =>
  random.list(random.below(4), () =>
    random.weighted<unknown>([
      [8, () => scalar(random, mix)],
      [1, () => null],
      [1, () => regex(random)],
      [1, () => value(random, mix)],
    ]),
  );

function condition(random: Random, mix: Mix, depth: number): unknown {
  return random.weighted<unknown>([
    [5, () => scalar(random, mix)],
    [1, () => value(random, mix)],
    [2.5, () => ({ $in: listed(random, mix) })],
    [5, () => range(random, mix)],
    [1, () => ({ $ne: random.chance(0.2) ? null : scalar(random, mix) })],
    [0.6, () => ({ $nin: listed(random, mix) })],
    [1, () => ({ $exists: random.chance(0.5) })],
    [0.8, () => ({ $not: random.chance(0.3) ? regex(random) : range(random, mix) })],
    [1, () => regex(random)],
    [0.8, () => ({ $regex: random.pick(regexes), ...(random.chance(0.2) ? { $options: 'i' } : {}) })],
    [0.8, () => ({ $elemMatch: random.chance(0.7) ? range(random, mix) : { $in: listed(random, mix) } })],
    [depth < 2 ? 0.8 : 0, () => ({ $elemMatch: inner(random, mix, depth + 1) })],
    [0.5, () => ({ $all: random.list(random.below(3), () => scalar(random, mix)) })],
    [0.5, () => ({ $type: random.pick(types) })],
    [0.4, () => ({ $size: random.below(4) })],
    [0.4, () => ({ $mod: [random.pick([2, 3]), random.below(3)] })],
    [0.5, () => ({ ...range(random, mix), $ne: scalar(random, mix) })],
  ]);
}

/** A filter on the fields of an array's elements. */
function inner(random: Random, mix: Mix, depth: number): Document {
  const names = random.list(1 + random.below(2), () => random.pick(['d', 'e', '0']));
  return Object.fromEntries(names.map((name) => [name, condition(random, mix, depth)]));
}

export function filter(random: Random, mix: Mix, depth = 0): Document {
  const fields = random.list(1 + random.below(3), () => random.pick(paths));
  const result: Document = Object.fromEntries(
    fields.map((path) => [path, path === '_id' ? identity(random) : condition(random, mix, depth)]),
  );
  if (depth < 2 && random.chance(0.15)) {
    const clauses = random.list(1 + random.below(2), () => filter(random, mix, depth + 1));
    result[random.pick(['$or', '$or', '$and', '$nor'])] = clauses;
  }
  return result;
}

const identity = (random: Random): unknown =>
  random.weighted<unknown>([
    [1, () => random.below(150)],
    [2, () => ({ $gte: random.below(100) })],
    [1, () => ({ $in: random.list(5, () => random.below(150)) })],
  ]);

const sorts = [
  ['a'],
  ['b'],
  ['b', 'a'],
  ['s'],
  ['s', 'b'],
  ['c.d'],
  ['c.e', 's'],
  ['a', 's'],
  ['a.0'],
  ['c.0.d'],
  ['c'],
  ['_id'],
];

/** An order that no two documents share a place in. */
export function sort(random: Random): Sort {
  const direction = random.pick([1, -1] as const);
  const fields = random
    .pick(sorts)
    .map((path) => [path, random.chance(0.8) ? direction : (-direction as 1 | -1)] as const);
  return fields.some(([path]) => path === '_id')
    ? fields
    : [...fields, ['_id', random.pick([1, -1] as const)]];
}

const projections: Document[] = [
  {},
  { a: 1 },
  { c: 0 },
  { 'c.d': 1, s: 1 },
  { a: { $slice: 1 } },
  { _id: 0, b: 1, n: 1 },
];

/** One question in all its parts. */
export type Query = {
  number: number;
  /** Decides what else is asked with the same filter. */
  choice: number;
  filter: Document;
  sort: Sort;
  skip: number;
  limit: number;
  projection: Document;
  collation?: CollationOptions;
};

export function query(random: Random, mix: Mix, number: number): Query {
  return {
    number,
    choice: random.below(1000),
    filter: filter(random, mix),
    sort: sort(random),
    skip: random.chance(0.2) ? random.below(6) : 0,
    limit: random.chance(0.35) ? 1 + random.below(8) : 0,
    projection: random.chance(0.2) ? random.pick(projections) : { _id: 1 },
    ...(random.chance(0.2) ? { collation: random.pick(collations) } : {}),
  };
}
