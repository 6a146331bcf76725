import { Decimal128, Double } from 'bson';
import { badValue } from '../errors.ts';
import { isInt32, typeName } from '../value/types.ts';

/** Addition, multiplication and bit operations that keep BSON's number types as a MongoDB server does. */
const greatestLong = 2n ** 63n - 1n;
const leastLong = -(2n ** 63n);

type Operation = 'add' | 'multiply';

export function isNumeric(value: unknown): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    value instanceof Double ||
    value instanceof Decimal128
  );
}

/** Combines two numbers; the result has the wider type of the two. */
export function combine(operation: Operation, left: unknown, right: unknown): unknown {
  if (left instanceof Decimal128 || right instanceof Decimal128)
    return combineDecimals(operation, left, right);
  if (isDouble(left) || isDouble(right)) return combineDoubles(operation, left, right);
  return combineIntegers(operation, left, right);
}

const isDouble = (value: unknown): boolean =>
  value instanceof Double || (typeof value === 'number' && !isInt32(value));

function combineDoubles(operation: Operation, left: unknown, right: unknown): unknown {
  const a = Number(left);
  const b = Number(right);
  return asDouble(operation === 'add' ? a + b : a * b);
}

/** A number that will be stored as a double even when it is whole. */
export function asDouble(value: number): number | Double {
  return isInt32(value) ? new Double(value) : value;
}

function combineIntegers(operation: Operation, left: unknown, right: unknown): unknown {
  const a = BigInt(left as number | bigint);
  const b = BigInt(right as number | bigint);
  const result = operation === 'add' ? a + b : a * b;
  if (result > greatestLong || result < leastLong) {
    throw badValue(
      `Failed to apply $${operation === 'add' ? 'inc' : 'mul'} operations to current value ((${typeName(left)})${String(left)})`,
    );
  }
  const bothInts = typeof left === 'number' && typeof right === 'number';
  return bothInts && isInt32(Number(result)) ? Number(result) : result;
}

type Scaled = { digits: bigint; exponent: number };

function scaled(value: unknown): Scaled | null {
  // A double takes part with its fifteen significant digits, as on a MongoDB server.
  const text = isDouble(value) ? Number(value).toPrecision(15) : String(value);
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text);
  if (!match) return null;
  const [, sign, whole = '0', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction);
  return { digits: sign ? -digits : digits, exponent: Number(exponent) - fraction.length };
}

function combineDecimals(operation: Operation, left: unknown, right: unknown): Decimal128 {
  const a = scaled(left);
  const b = scaled(right);
  if (!a || !b) throw badValue('arithmetic on NaN or an infinite Decimal128 is not supported');
  if (operation === 'multiply') return fromScaled(a.digits * b.digits, a.exponent + b.exponent);
  if (Math.abs(a.exponent - b.exponent) > 6200)
    throw badValue('the Decimal128 values are too far apart to add');
  const exponent = Math.min(a.exponent, b.exponent);
  const align = ({ digits, exponent: own }: Scaled): bigint => digits * 10n ** BigInt(own - exponent);
  return fromScaled(align(a) + align(b), exponent);
}

function fromScaled(digits: bigint, exponent: number): Decimal128 {
  return Decimal128.fromStringWithRounding(`${digits}E${exponent}`);
}

/** `$bit`: and, or, xor on integers. */
export function combineBits(name: string, left: unknown, right: unknown): unknown {
  const a = BigInt(left as number | bigint);
  const b = BigInt(right as number | bigint);
  const result = name === 'and' ? a & b : name === 'or' ? a | b : a ^ b;
  return typeof left === 'bigint' || typeof right === 'bigint' ? result : Number(result);
}

export const isInteger = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'number' && isInt32(value));
