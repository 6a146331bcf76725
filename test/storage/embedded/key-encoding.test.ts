import { describe, expect, test } from '@jest/globals';
import {
  Binary,
  BSONRegExp,
  Decimal128,
  type Document,
  Double,
  EJSON,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from 'bson';
import fc from 'fast-check';
import { decode } from '../../../src/storage/embedded/bson/decode.ts';
import { encodeKey } from '../../../src/storage/embedded/value/key-encoding.ts';
import { rounds } from '../../support/long.ts';
import { compareBson } from './fuzz/order-oracle.ts';

const hexId = fc.uint8Array({ minLength: 12, maxLength: 12 });
const close = fc.constantFrom(
  '',
  '\0',
  'a',
  'a\0',
  'a\0b',
  'ab',
  'B',
  'é',
  '\u{1F600}',
  '\uFFFD',
  '\u{10FFFF}',
);
const wholes = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer(),
  fc.constantFrom(2 ** 31, 2 ** 53, -(2 ** 53)),
);
const longs = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: -3n, max: 3n }),
);
const decimals = fc.oneof(
  fc.integer({ min: -6, max: 6 }).map((halves) => `${halves / 2}`),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(String),
  fc.tuple(fc.integer(), fc.integer({ min: -40, max: 40 })).map(([digits, power]) => `${digits}E${power}`),
  fc.constantFrom('NaN', 'Infinity', '-Infinity', '-0', '1E+6000', '-1E+6000', '1E-6000', '0.1'),
);
const unicode = fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.toWellFormed());
/** Names that JavaScript neither reorders nor knows. */
const name = fc.oneof(close, unicode).map((text) => (text === '' ? '' : `k${text.replaceAll('\0', '')}`));

const scalar = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 3, arbitrary: fc.oneof(wholes, fc.double(), longs.map(Long.fromBigInt)) },
  { weight: 1, arbitrary: wholes.map((value) => new Double(value)) },
  { weight: 2, arbitrary: decimals.map((text) => Decimal128.fromString(text)) },
  { weight: 3, arbitrary: fc.oneof(close, unicode) },
  { weight: 1, arbitrary: hexId.map((bytes) => new ObjectId(bytes)) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.date({ noInvalidDate: true }),
      fc.integer({ min: -2, max: 2 }).map((ms) => new Date(ms)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.uint8Array({ maxLength: 4 }), fc.constantFrom(0, 5, 128))
      .map(([bytes, subtype]) => new Binary(Buffer.from(bytes), subtype)),
  },
  { weight: 1, arbitrary: fc.tuple(fc.nat(3), fc.nat()).map(([t, i]) => new Timestamp({ t, i })) },
  {
    weight: 1,
    arbitrary: fc.tuple(name, fc.constantFrom('', 'i')).map(([text, flags]) => new BSONRegExp(text, flags)),
  },
  { weight: 1, arbitrary: fc.constantFrom(new MinKey(), new MaxKey()) },
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: scalar, weight: 6 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 1 },
    {
      arbitrary: fc
        .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 3, selector: ([key]) => key })
        .map(object),
      weight: 1,
    },
  ),
}));

function object(fields: [string, unknown][]): Document {
  return Object.fromEntries(fields.filter(([key]) => !/^\d+$/.test(key)));
}

/** A second value is often the first one again, or close to it, in another guise. */
const pair = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(value, value) },
  { weight: 1, arbitrary: value.map((one): [unknown, unknown] => [one, one]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: -3, max: 3 }), guise(), guise())
      .map(([n, a, b]): [unknown, unknown] => [a(n), b(n)]),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(value, value, value).map(([a, b, c]): [unknown, unknown] => [
      { a, b },
      { a, b: c },
    ]),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(value, value, value).map(([a, b, c]): [unknown, unknown] => [
      [a, b],
      [a, c],
    ]),
  },
);

function guise(): fc.Arbitrary<(n: number) => unknown> {
  return fc.constantFrom<((n: number) => unknown)[]>(
    (n) => n,
    (n) => new Double(n),
    (n) => Long.fromNumber(n),
    (n) => Decimal128.fromString(`${n}.0`),
    (n) => ({ n: new Double(n) }),
    (n) => ({ n: Long.fromNumber(n) }),
    (n) => [n],
    (n) => [Decimal128.fromString(`${n}.00`)],
  );
}

/** A value as the server sees it and as the oracle does, both made from the same BSON. */
type Both = { value: unknown; canonical: unknown };

function both(given: unknown): Both {
  const value = decode(Buffer.from(serialize({ value: given }))).value;
  return { value, canonical: (EJSON.serialize({ value: given }, { relaxed: false }) as Document).value };
}

const key = (given: unknown) => encodeKey([both(given).value], [false]);
const sign = (number: number): number => Math.sign(number) + 0;

/** Compares the keys in both directions with what the oracle says, and checks that neither begins the other. */
function checkPair(left: Both, right: Both): void {
  const wanted = sign(compareBson(left.canonical, right.canonical));
  for (const descending of [false, true]) {
    const a = encodeKey([left.value], [descending]);
    const b = encodeKey([right.value], [descending]);
    const difference = sign(Buffer.compare(a.bytes, b.bytes) * (descending ? -1 : 1));
    // A decimal that no key holds exactly may share the key of its neighbour, but is never on the wrong side of it.
    const allowed = a.lossy || b.lossy ? [0, wanted] : [wanted];
    if (!allowed.includes(difference)) expect({ difference }).toEqual({ difference: wanted });
    if (difference !== 0) expect(a.bytes.subarray(0, b.bytes.length).equals(b.bytes)).toBe(false);
  }
}

describe('encoded keys', () => {
  test('compare as bytes exactly as their values compare as BSON, and none begins another', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 8, maxLength: 8 }), (values) => {
        const list = values.map(both);
        for (const [i, left] of list.entries()) for (const right of list.slice(i + 1)) checkPair(left, right);
      }),
      { numRuns: rounds(600, 3_000), seed: 20261120 },
    );
  }, 120_000);

  test('keep that order between values that are almost or quite the same', () => {
    fc.assert(
      fc.property(pair, ([left, right]) => checkPair(both(left), both(right))),
      { numRuns: rounds(4_000, 20_000), seed: 20261121 },
    );
  }, 120_000);

  test('of several fields compare field by field, each in its own direction', () => {
    fc.assert(
      fc.property(pair, pair, fc.boolean(), fc.boolean(), (one, two, ...directions) => {
        const [a, c] = one.map(both) as [Both, Both];
        const [b, d] = two.map(both) as [Both, Both];
        const [first, second] = directions.map((descending) => (descending ? -1 : 1)) as [number, number];
        const wanted =
          compareBson(a.canonical, c.canonical) * first || compareBson(b.canonical, d.canonical) * second;
        const left = encodeKey([a.value, b.value], directions);
        const right = encodeKey([c.value, d.value], directions);
        if (left.lossy || right.lossy) return;
        expect(sign(Buffer.compare(left.bytes, right.bytes))).toBe(sign(wanted));
      }),
      { numRuns: rounds(2_000, 10_000), seed: 20261122 },
    );
  }, 120_000);

  test('tell apart whole numbers that one double stands for', () => {
    const numbers = [2n ** 53n, 2n ** 53n + 1n, 2n ** 53n + 2n, 2n ** 63n - 1n, -(2n ** 53n) - 1n];
    const keys = new Set(numbers.map((number) => encodeKey([number], [false]).bytes.toString('hex')));
    expect(keys.size).toBe(numbers.length);
  });

  test('are the same for equal numbers of every type', () => {
    const same = [
      5,
      new Double(5),
      Long.fromNumber(5),
      Decimal128.fromString('5'),
      Decimal128.fromString('5.00'),
    ];
    expect(new Set(same.map((number) => key(number).bytes.toString('hex'))).size).toBe(1);
    const large = [Long.fromString('9007199254740993'), Decimal128.fromString('9007199254740993')];
    expect(new Set(large.map((number) => key(number).bytes.toString('hex'))).size).toBe(1);
    expect(key(-0).bytes).toEqual(key(0).bytes);
  });
});
