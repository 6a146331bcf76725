/**
 * BSON's order written down once more, from the manual's "Comparison/Sort Order" and independent of the server: over
 * canonical Extended JSON, with numbers as exact fractions and strings as UTF-8 bytes.
 */
type Tagged = Record<string, any>;

const tags: Record<string, number> = {
  $minKey: 1,
  $undefined: 2,
  $numberInt: 4,
  $numberLong: 4,
  $numberDouble: 4,
  $numberDecimal: 4,
  $symbol: 5,
  $binary: 8,
  $oid: 9,
  $date: 11,
  $timestamp: 12,
  $regularExpression: 13,
  $maxKey: 17,
};
const ranks = { null: 3, string: 5, object: 6, array: 7, boolean: 10, code: 15, codeWithScope: 16 };

/** Stands for an empty array where values are sorted; it is less than null. */
export const emptyArray = { $undefined: true };

/** The place of a value's type in BSON's order; a missing value counts as null. */
export function rankOf(value: unknown): number {
  if (value === null || value === undefined) return ranks.null;
  if (typeof value === 'string') return ranks.string;
  if (typeof value === 'boolean') return ranks.boolean;
  if (Array.isArray(value)) return ranks.array;
  const [tag = ''] = Object.keys(value);
  if (tag === '$code') return '$scope' in (value as Tagged) ? ranks.codeWithScope : ranks.code;
  return tags[tag] ?? ranks.object;
}

export const isObject = (value: unknown): value is Tagged =>
  value !== undefined && rankOf(value) === ranks.object;

/** A number as a fraction, or as one of the three that are none. */
type Fraction = { numerator: bigint; denominator: bigint } | 'NaN' | 'Infinity' | '-Infinity';

const whole = (numerator: bigint): Fraction => ({ numerator, denominator: 1n });

function fractionOfDouble(value: number): Fraction {
  if (!Number.isFinite(value)) return String(value) as Fraction;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const signed = bits >> 63n ? -mantissa : mantissa;
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  return power >= 0
    ? whole(signed << BigInt(power))
    : { numerator: signed, denominator: 1n << BigInt(-power) };
}

function fractionOfDecimal(text: string): Fraction {
  const match = /^(-?)(\d+)\.?(\d*)(?:E([+-]?\d+))?$/.exec(text);
  if (!match) return text as Fraction;
  const [, sign = '', integer = '', decimals = '', exponent = '0'] = match;
  const digits = BigInt(`${sign}${integer}${decimals}`);
  const power = Number(exponent) - decimals.length;
  return power >= 0
    ? whole(digits * 10n ** BigInt(power))
    : { numerator: digits, denominator: 10n ** BigInt(-power) };
}

function fractionOf(value: Tagged): Fraction {
  if ('$numberDecimal' in value) return fractionOfDecimal(value.$numberDecimal);
  if ('$numberDouble' in value) return fractionOfDouble(Number(value.$numberDouble));
  return whole(BigInt(value.$numberInt ?? value.$numberLong));
}

export const isNaNValue = (value: unknown): boolean =>
  rankOf(value) === tags.$numberInt && fractionOf(value as Tagged) === 'NaN';

/** NaN and minus infinity come before every other number, infinity after. */
const infinite = (fraction: Fraction): number =>
  typeof fraction === 'string' ? { NaN: -2, '-Infinity': -1, Infinity: 1 }[fraction] : 0;

function compareNumbers(left: Tagged, right: Tagged): number {
  const a = fractionOf(left);
  const b = fractionOf(right);
  if (typeof a === 'string' || typeof b === 'string') return infinite(a) - infinite(b);
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : Number(difference > 0n);
}

const compareText = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));

const compareIntegers = (left: string | number, right: string | number): number => {
  const difference = BigInt(left) - BigInt(right);
  return difference < 0n ? -1 : Number(difference > 0n);
};

function compareLists(left: unknown[], right: unknown[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = compareBson(left[i], right[i]);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Field by field: the type of the value, then the name, then the value. */
function compareObjects(left: Tagged, right: Tagged): number {
  const a = Object.entries(left);
  const b = Object.entries(right);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [nameA, valueA] = a[i] as [string, unknown];
    const [nameB, valueB] = b[i] as [string, unknown];
    const difference =
      rankOf(valueA) - rankOf(valueB) || compareText(nameA, nameB) || compareBson(valueA, valueB);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareBinary(left: Tagged, right: Tagged): number {
  const a = Buffer.from(left.base64, 'base64');
  const b = Buffer.from(right.base64, 'base64');
  return (
    a.length - b.length ||
    Number.parseInt(left.subType, 16) - Number.parseInt(right.subType, 16) ||
    Buffer.compare(a, b)
  );
}

/** Less than, equal to or greater than zero as BSON orders the two values. */
export function compareBson(left: unknown, right: unknown): number {
  const rank = rankOf(left);
  if (rank !== rankOf(right)) return rank - rankOf(right);
  const a = left as any;
  const b = right as any;
  switch (rank) {
    case 4:
      return compareNumbers(a, b);
    case 5:
      return compareText(a.$symbol ?? a, b.$symbol ?? b);
    case 6:
      return compareObjects(a, b);
    case 7:
      return compareLists(a, b);
    case 8:
      return compareBinary(a.$binary, b.$binary);
    case 9:
      return compareText(a.$oid, b.$oid);
    case 10:
      return Number(a) - Number(b);
    case 11:
      return compareIntegers(a.$date.$numberLong, b.$date.$numberLong);
    case 12:
      return (
        compareIntegers(a.$timestamp.t, b.$timestamp.t) || compareIntegers(a.$timestamp.i, b.$timestamp.i)
      );
    case 13:
      return (
        compareText(a.$regularExpression.pattern, b.$regularExpression.pattern) ||
        compareText(a.$regularExpression.options, b.$regularExpression.options)
      );
    case 15:
      return compareText(a.$code, b.$code);
    case 16:
      return compareText(a.$code, b.$code) || compareObjects(a.$scope, b.$scope);
    default:
      return 0;
  }
}
