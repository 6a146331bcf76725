import { Decimal128, Double } from 'bson';
import { badValue, notImplemented } from '../errors.ts';
import { isInt32, typeName } from '../value/types.ts';

/** True for the numbers that can be computed with; Decimal128 is stored and compared, but arithmetic refuses it. */
export function isNumeric(value: unknown): value is number | bigint | Double {
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Double) return true;
  if (value instanceof Decimal128) throw notImplemented('arithmetic with Decimal128 is not supported');
  return false;
}

const isDouble = (value: unknown): boolean =>
  value instanceof Double || (typeof value === 'number' && !isInt32(value));

/** Adds (`$inc`) or multiplies (`$mul`) two numbers; the result has the wider type of the two, as on a server. */
export function combine(
  operator: '$inc' | '$mul',
  left: number | bigint | Double,
  right: number | bigint | Double,
): unknown {
  const adds = operator === '$inc';
  if (isDouble(left) || isDouble(right)) {
    const [a, b] = [Number(left), Number(right)];
    const result = adds ? a + b : a * b;
    return isInt32(result) ? new Double(result) : result;
  }
  const [a, b] = [BigInt(left as number | bigint), BigInt(right as number | bigint)];
  const result = adds ? a + b : a * b;
  if (BigInt.asIntN(64, result) !== result) {
    throw badValue(
      `Failed to apply ${operator} operations to current value ((${typeName(left)})${String(left)})`,
    );
  }
  const bothInts = typeof left === 'number' && typeof right === 'number';
  return bothInts && isInt32(Number(result)) ? Number(result) : result;
}
