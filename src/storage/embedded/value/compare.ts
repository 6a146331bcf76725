import { type Binary, BSONRegExp, Decimal128, Double, type ObjectId, type Timestamp } from 'bson';
import { compareWithDecimal } from './decimal.ts';
import { type Document, order, typeOrder } from './types.ts';

/** Folds a string before comparison; this is all that a supported collation does. */
export type Fold = (text: string) => string;

/** Orders two values as BSON does: first by type, then by value. Missing counts as null. */
export function compareValues(left: unknown, right: unknown, fold?: Fold): number {
  if (left === right) return 0;
  if (typeof left === 'number' && typeof right === 'number') return compareNumbers(left, right);
  const leftOrder = typeOrder(left);
  const rightOrder = typeOrder(right);
  if (leftOrder !== rightOrder) return leftOrder < rightOrder ? -1 : 1;
  switch (leftOrder) {
    case order.number:
      return compareNumeric(left, right);
    case order.string:
      return fold
        ? compareStrings(fold(String(left)), fold(String(right)))
        : compareStrings(String(left), String(right));
    case order.object:
      return compareDocuments(left as Document, right as Document, fold);
    case order.array:
      return compareArrays(left as unknown[], right as unknown[], fold);
    case order.binary:
      return compareBinary(left, right);
    case order.objectId:
      return Buffer.compare((left as ObjectId).id, (right as ObjectId).id);
    case order.boolean:
      return left ? 1 : -1;
    case order.date:
      return compareNumbers((left as Date).getTime(), (right as Date).getTime());
    case order.timestamp:
      return (left as Timestamp).compare(right as Timestamp);
    case order.regex:
      return compareRegex(left, right);
    default:
      return 0;
  }
}

/** Equality in the BSON sense: 1, 1.0 and Long(1) are equal, documents only with the same field order. */
export function equalValues(left: unknown, right: unknown, fold?: Fold): boolean {
  return left === right || compareValues(left, right, fold) === 0;
}

/** NaN is less than every other number. */
function compareNumbers(left: number | bigint, right: number | bigint): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}

function compareNumeric(left: unknown, right: unknown): number {
  if (left instanceof Decimal128 || right instanceof Decimal128) return compareWithDecimal(left, right);
  const a = left instanceof Double ? left.value : (left as number | bigint);
  const b = right instanceof Double ? right.value : (right as number | bigint);
  return compareNumbers(a, b);
}

/** Compares by code point, which is the byte order of UTF-8; JavaScript's own order differs above U+FFFF. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a === b) continue;
    const aHigh = a >= 0xd800 && a <= 0xdfff;
    const bHigh = b >= 0xd800 && b <= 0xdfff;
    if (aHigh !== bHigh) return aHigh ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return left.length < right.length ? -1 : 1;
}

function compareDocuments(left: Document, right: Document, fold?: Fold): number {
  const leftKeys = Object.keys(left);
  const rightKeys = Object.keys(right);
  const length = Math.min(leftKeys.length, rightKeys.length);
  for (let i = 0; i < length; i++) {
    const leftKey = leftKeys[i] as string;
    const rightKey = rightKeys[i] as string;
    const difference =
      typeOrder(left[leftKey]) - typeOrder(right[rightKey]) ||
      compareStrings(leftKey, rightKey) ||
      compareValues(left[leftKey], right[rightKey], fold);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return Math.sign(leftKeys.length - rightKeys.length);
}

function compareArrays(left: unknown[], right: unknown[], fold?: Fold): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const difference = compareValues(left[i], right[i], fold);
    if (difference !== 0) return difference;
  }
  return Math.sign(left.length - right.length);
}

/** The bytes and subtype of a binary value. */
export function binaryParts(value: unknown): { bytes: Uint8Array; subtype: number } {
  const { buffer, position, sub_type: subtype } = value as Binary;
  return { bytes: buffer.subarray(0, position), subtype };
}

function compareBinary(left: unknown, right: unknown): number {
  const a = binaryParts(left);
  const b = binaryParts(right);
  return (
    Math.sign(a.bytes.length - b.bytes.length) ||
    Math.sign(a.subtype - b.subtype) ||
    Buffer.compare(a.bytes, b.bytes)
  );
}

/** Pattern and flags of a regular expression, whichever class carries it. */
export function regexParts(value: unknown): { pattern: string; flags: string } {
  if (value instanceof BSONRegExp) return { pattern: value.pattern, flags: value.options };
  const regex = value as RegExp;
  return { pattern: regex.source, flags: regex.flags };
}

function compareRegex(left: unknown, right: unknown): number {
  const a = regexParts(left);
  const b = regexParts(right);
  return compareStrings(a.pattern, b.pattern) || compareStrings(a.flags, b.flags);
}
