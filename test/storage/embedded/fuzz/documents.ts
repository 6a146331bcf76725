import {
  Binary,
  BSONRegExp,
  Decimal128,
  type Document,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import type { Random } from './random.ts';

const strings = [
  '',
  'a',
  'A',
  'ab',
  'aB',
  'abc',
  'b',
  'é',
  'e',
  'É',
  'a\0',
  'a\0b',
  '\0',
  '\u{1F600}',
  '\uFFFD',
  '10',
  'a.b',
];
const decimals = [
  '0',
  '-0',
  '1',
  '1.0',
  '1.5',
  '2',
  '0.1',
  '3E+1',
  '9007199254740993',
  '-1',
  '1E+6000',
  '1E-6000',
];
const specialDecimals = ['NaN', 'Infinity', '-Infinity'];
const doubles = [0.1, 1.5, 2.5, -1.5, -0, 2 ** 53, 2 ** 63, 1e300, 5e-324];
const longs = ['0', '1', '3', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'];

export const regexes = [
  '^a',
  '^ab',
  '^é',
  'b',
  '^a.*',
  '^ab?',
  '^$',
  'b$',
  '^a|b',
  '^\\0',
  '^a\\.b',
  '^[ab]',
  '^\u{1F600}',
];

/**
 * How mixed the values are. Without arrays and Decimal128 values the indexes stay exact, and then their bounds are
 * trusted without a second look; so both kinds of data are needed.
 */
export type Mix = { arrays: boolean; decimals: boolean; rare: boolean };

function number(random: Random, mix: Mix): unknown {
  return random.weighted<unknown>([
    [6, () => random.below(5) - 1],
    [2, () => new Double(random.below(4))],
    [2, () => Long.fromNumber(random.below(4))],
    [1, () => random.below(8) / 2],
    [1, () => new Double(random.pick(doubles))],
    [1, () => Long.fromString(random.pick(longs))],
    [1, () => random.pick([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])],
    [mix.decimals ? 2 : 0, () => Decimal128.fromString(random.pick(decimals))],
    [mix.decimals ? 0.5 : 0, () => Decimal128.fromString(random.pick(specialDecimals))],
  ]);
}

function rare(random: Random): unknown {
  return random.weighted<unknown>([
    [
      1,
      () =>
        new Binary(
          Buffer.from(random.list(random.below(3), () => random.pick([0, 1, 255]))),
          random.pick([0, 5, 128]),
        ),
    ],
    [
      1,
      () =>
        new ObjectId(
          random.pick(['000000000000000000000000', '0102030405060708090a0b0c', 'ffffffffffffffffffffffff']),
        ),
    ],
    [1, () => new Timestamp({ t: random.pick([0, 1, 4294967295]), i: random.pick([0, 1, 4294967295]) })],
    [1, () => new BSONRegExp(random.pick(['^a', '^ab', 'b']), random.pick(['', 'i']))],
    [0.5, () => new MinKey()],
    [0.5, () => new MaxKey()],
  ]);
}

/** A value that is no array. */
export function scalar(random: Random, mix: Mix, depth = 0): unknown {
  return random.weighted<unknown>([
    [6, () => number(random, mix)],
    [4, () => random.pick(strings)],
    [1.5, () => null],
    [1, () => random.chance(0.5)],
    [1, () => new Date(random.pick([-1, 0, 1, 2, 86_400_000]))],
    [mix.rare ? 2 : 0, () => rare(random)],
    [depth < 2 ? 1 : 0, () => part(random, mix, depth + 1)],
  ]);
}

/** Any value, an array now and then. */
export function value(random: Random, mix: Mix, depth = 0): unknown {
  if (!mix.arrays || depth > 1 || !random.chance(0.15)) return scalar(random, mix, depth);
  return random.list(random.below(4), () =>
    random.chance(0.15)
      ? random.list(random.below(3), () => scalar(random, mix, 2))
      : scalar(random, mix, depth + 1),
  );
}

function part(random: Random, mix: Mix, depth: number): Document {
  return {
    ...(random.chance(0.8) ? { d: value(random, mix, depth + 1) } : {}),
    ...(random.chance(0.7) ? { e: scalar(random, mix, depth + 1) } : {}),
  };
}

function nested(random: Random, mix: Mix): unknown {
  return random.weighted<unknown>([
    [4, () => part(random, mix, 0)],
    [mix.arrays ? 4 : 0, () => random.list(random.below(4), () => part(random, mix, 0))],
    [mix.arrays ? 1 : 0, () => random.list(random.below(4), () => value(random, mix))],
    [1, () => scalar(random, mix)],
  ]);
}

/** A document over a handful of fields, so that queries often find something. */
export function document(random: Random, mix: Mix, _id: number): Document {
  const optional = (name: string, chance: number, make: () => unknown): Document =>
    random.chance(chance) ? { [name]: make() } : {};
  return {
    _id,
    ...optional('a', 0.9, () => value(random, mix)),
    // Two arrays under one compound index are refused; b seldom holds one so that most documents get in.
    ...optional('b', 0.9, () => (random.chance(0.9) ? scalar(random, mix) : value(random, mix))),
    ...optional('c', 0.8, () => nested(random, mix)),
    ...optional('s', 0.7, () => random.pick(strings)),
    ...optional('u', 0.5, () => (random.chance(0.9) ? _id : value(random, mix))),
    n: random.below(1000),
  };
}
