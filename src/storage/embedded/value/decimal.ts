import { Decimal128, Double } from 'bson';

type Rational = { numerator: bigint; denominator: bigint };

/** A Decimal128 as the nearest JavaScript number. */
export function decimalToNumber(value: Decimal128): number {
  return Number(value.toString().replace(/^(-?)Infinity$/, '$1Infinity'));
}

function power(base: bigint, exponent: number): Rational {
  return exponent >= 0
    ? { numerator: base ** BigInt(exponent), denominator: 1n }
    : { numerator: 1n, denominator: base ** BigInt(-exponent) };
}

function decimalToRational(value: Decimal128): Rational {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/.exec(value.toString());
  if (!match) return { numerator: 0n, denominator: 1n };
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match;
  const scale = power(10n, Number(exponent) - fraction.length);
  const digits = BigInt(whole + fraction);
  return { numerator: (sign ? -digits : digits) * scale.numerator, denominator: scale.denominator };
}

function numberToRational(value: number): Rational {
  let exponent = 0;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    exponent += 1;
  }
  return { numerator: BigInt(scaled), denominator: 2n ** BigInt(exponent) };
}

/** Compares two numbers of which at least one is a Decimal128, exactly. */
export function compareWithDecimal(left: unknown, right: unknown): number {
  const a = approximate(left);
  const b = approximate(right);
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  if (a !== b && !(Math.abs(a - b) <= Math.abs(a) * 1e-9)) return a < b ? -1 : 1;
  // A decimal may be too large for a double without being infinite.
  if (isInfinite(left) || isInfinite(right))
    return (Number(isInfinite(left)) - Number(isInfinite(right))) * Math.sign(a);
  const x = rational(left);
  const y = rational(right);
  const difference = x.numerator * y.denominator - y.numerator * x.denominator;
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

function isInfinite(value: unknown): boolean {
  return value instanceof Decimal128
    ? /Infinity$/.test(value.toString())
    : Math.abs(approximate(value)) === Number.POSITIVE_INFINITY;
}

function approximate(value: unknown): number {
  if (value instanceof Decimal128) return decimalToNumber(value);
  return value instanceof Double ? value.value : Number(value);
}

function rational(value: unknown): Rational {
  if (value instanceof Decimal128) return decimalToRational(value);
  if (typeof value === 'bigint') return { numerator: value, denominator: 1n };
  return numberToRational(approximate(value));
}

/** True when the nearest double is exactly the decimal, so that an index key loses nothing. */
export function isExactDouble(value: Decimal128): boolean {
  const number = decimalToNumber(value);
  return compareWithDecimal(value, number) === 0;
}
