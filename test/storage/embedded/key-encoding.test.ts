import { describe, expect, test } from '@jest/globals';
import { Binary, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { compareValues } from '../../../src/storage/embedded/value/compare.ts';
import { encodeKey } from '../../../src/storage/embedded/value/key-encoding.ts';

const hexId = fc.uint8Array({ minLength: 12, maxLength: 12 });
const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double(),
  fc.integer({ min: -5, max: 5 }).map((value) => new Double(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.integer({ min: -5, max: 5 }).map((value) => Decimal128.fromString(`${value}.5`)),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\0', 'a', 'a\0', 'a\0b', 'ab', '\u{1F600}', '\uFFFD'),
  hexId.map((bytes) => new ObjectId(bytes)),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => new Binary(Buffer.from(bytes))),
  fc.tuple(fc.nat(), fc.nat()).map(([t, i]) => new Timestamp({ t, i })),
  fc.constantFrom(new MinKey(), new MaxKey()),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: scalar, weight: 6 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 1 },
    {
      arbitrary: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      weight: 1,
    },
  ),
}));

const encode = (values: unknown[], descending: boolean[]): Buffer => encodeKey(values, descending).bytes;
const sign = (number: number): number => Math.sign(number) + 0;

describe('encoded keys', () => {
  test('compare as bytes exactly as their values compare as BSON', () => {
    fc.assert(
      fc.property(value, value, (left, right) => {
        const wanted = sign(compareValues(left, right));
        expect(sign(Buffer.compare(encode([left], [false]), encode([right], [false])))).toBe(wanted);
        expect(sign(Buffer.compare(encode([left], [true]), encode([right], [true])))).toBe(sign(-wanted));
      }),
      { numRuns: 20_000 },
    );
  });

  test('of several fields compare field by field, each in its own direction', () => {
    fc.assert(
      fc.property(value, value, value, value, fc.boolean(), fc.boolean(), (a, b, c, d, first, second) => {
        const directions = [first, second];
        const wanted = compareValues(a, c) * (first ? -1 : 1) || compareValues(b, d) * (second ? -1 : 1);
        const bytes = Buffer.compare(encode([a, b], directions), encode([c, d], directions));
        expect(sign(bytes)).toBe(sign(wanted));
      }),
      { numRuns: 5_000 },
    );
  });

  test('tell apart whole numbers that one double stands for', () => {
    const numbers = [2n ** 53n, 2n ** 53n + 1n, 2n ** 53n + 2n, 2n ** 63n - 1n, -(2n ** 53n) - 1n];
    const keys = new Set(numbers.map((number) => encode([number], [false]).toString('hex')));
    expect(keys.size).toBe(numbers.length);
    expect(encode([5n], [false])).toEqual(encode([5], [false]));
    expect(encode([new Double(5)], [false])).toEqual(encode([5], [false]));
    expect(encode([-0], [false])).toEqual(encode([0], [false]));
  });
});
