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
  const close = Number.isFinite(a - b) && Math.abs(a - b) <= Math.abs(a) * 1e-9;
  if (a !== b && !close) return a < b ? -1 : 1;
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

const largestRemainder = 0x7fff;

/**
 * A decimal as an index key holds it: the nearest double, the whole number that it lies above that double (as much as
 * fits), and whether nothing is lost by that. Greater decimals never come before lesser ones.
 */
export function decimalParts(value: Decimal128): { nearest: number; remainder: number; exact: boolean } {
  const nearest = decimalToNumber(value);
  if (Number.isNaN(nearest) || isInfinite(value)) return { nearest, remainder: 0, exact: true };
  if (!Number.isFinite(nearest))
    return { nearest, remainder: -Math.sign(nearest) * largestRemainder, exact: false };
  const decimal = decimalToRational(value);
  const double = numberToRational(nearest);
  const denominator = decimal.denominator * double.denominator;
  const difference = decimal.numerator * double.denominator - double.numerator * decimal.denominator;
  const below = difference < 0n && difference % denominator !== 0n ? 1n : 0n;
  const remainder = Number(difference / denominator - below);
  const kept = Math.max(-largestRemainder, Math.min(largestRemainder, remainder));
  return { nearest, remainder: kept, exact: difference === BigInt(kept) * denominator };
}

/** True for NaN, whether a double or a Decimal128. */
export function isNotANumber(value: unknown): boolean {
  return value instanceof Decimal128 ? value.toString() === 'NaN' : Number.isNaN(value);
}
