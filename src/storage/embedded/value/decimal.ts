import { Decimal128, Double } from 'bson';

/** A number as digits × 10^exponent. Every finite number has such a form, exactly. */
type Scaled = { digits: bigint; exponent: number };

/** More than the exponent of any Decimal128, so that an infinite one is greater than all others. */
const beyondAll = 7000;

/** A Decimal128 as the nearest JavaScript number. */
export const decimalToNumber = (value: Decimal128): number => Number(value.toString());

function scaled(value: unknown): Scaled {
  if (typeof value === 'bigint') return { digits: value, exponent: 0 };
  const decimal = value instanceof Decimal128 ? value.toString() : null;
  const text = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/.exec(decimal ?? '');
  if (text) {
    const [, sign = '', whole = '', fraction = '', exponent = '0'] = text;
    const digits = BigInt(whole + fraction);
    return { digits: sign ? -digits : digits, exponent: Number(exponent) - fraction.length };
  }
  let number = Number(decimal ?? value);
  if (!Number.isFinite(number)) return { digits: number > 0 ? 1n : -1n, exponent: beyondAll };
  // Digits / 2^n are digits × 5^n / 10^n.
  let exponent = 0;
  for (; !Number.isInteger(number); exponent--) number *= 2;
  return { digits: BigInt(number) * 5n ** BigInt(-exponent), exponent };
}

/** Compares two numbers of which at least one is a Decimal128, exactly. */
export function compareWithDecimal(left: unknown, right: unknown): number {
  const a = approximate(left);
  const b = approximate(right);
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  if (Math.abs(a - b) > Math.abs(a) * 1e-9) return a < b ? -1 : 1;
  const x = scaled(left);
  const y = scaled(right);
  const exponent = Math.min(x.exponent, y.exponent);
  const difference = align(x, exponent) - align(y, exponent);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

const align = (number: Scaled, exponent: number): bigint =>
  number.digits * 10n ** BigInt(number.exponent - exponent);

function approximate(value: unknown): number {
  if (value instanceof Decimal128) return decimalToNumber(value);
  return value instanceof Double ? value.value : Number(value);
}

const largestRemainder = 0x7fff;

/**
 * A decimal as an index key holds it: the nearest double, the whole number that it lies above that double (as much as
 * fits), and whether nothing is lost by that. Greater decimals never come before lesser ones.
 */
export function decimalParts(value: Decimal128): { nearest: number; remainder: number; exact: boolean } {
  const nearest = decimalToNumber(value);
  if (Number.isNaN(nearest)) return { nearest, remainder: 0, exact: true };
  const [decimal, double] = [scaled(value), scaled(nearest)];
  const exponent = Math.min(decimal.exponent, double.exponent, 0);
  const difference = align(decimal, exponent) - align(double, exponent);
  const unit = 10n ** BigInt(-exponent);
  const below = difference < 0n && difference % unit !== 0n ? 1n : 0n;
  const remainder = Number(difference / unit - below);
  const kept = Math.max(-largestRemainder, Math.min(largestRemainder, remainder));
  return { nearest, remainder: kept, exact: difference === BigInt(kept) * unit };
}

/** The same text for equal decimals: 0.10 and 0.1 are both 1E-1. */
export function canonicalDecimal(value: Decimal128): string {
  const { digits, exponent } = scaled(value);
  const significant = String(digits).replace(/0+$/, '');
  return `${significant}E${exponent + String(digits).length - significant.length}`;
}

/** True for NaN, whether a double or a Decimal128. */
export function isNotANumber(value: unknown): boolean {
  return value instanceof Decimal128 ? value.toString() === 'NaN' : Number.isNaN(value);
}
