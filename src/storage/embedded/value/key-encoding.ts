import { Decimal128, Double, type ObjectId, type Timestamp } from 'bson';
import { binaryParts, type Fold, regexParts } from './compare.ts';
import { canonicalDecimal, decimalParts } from './decimal.ts';
import { type Document, order, typeOrder } from './types.ts';

/**
 * Encodes values so that comparing the bytes compares the values as BSON does. One type byte, then a body; strings
 * and containers end with a zero that no content can imitate, so that encodings can be laid end to end.
 */
const nanByte = 0x13;
const scratch = Buffer.alloc(8);
let target = Buffer.allocUnsafe(4096);
let length = 0;
/** What the decimals in a key are in full, when doubles cannot hold them. */
let inexact = '';

/** The bytes of a key, and whether a Decimal128 in it was rounded to a double. */
export type EncodedKey = { bytes: Buffer; lossy: boolean };

function reserve(extra: number): void {
  if (length + extra <= target.length) return;
  const larger = Buffer.allocUnsafe(Math.max(target.length * 2, length + extra));
  target.copy(larger, 0, 0, length);
  target = larger;
}

function writeByte(byte: number): void {
  reserve(1);
  target[length++] = byte;
}

function writeText(text: string): void {
  reserve(text.length * 3 + 2);
  if (text.includes('\0')) {
    for (const byte of Buffer.from(text, 'utf8')) {
      writeByte(byte);
      if (byte === 0) writeByte(0xff);
    }
    reserve(2);
  } else {
    length += target.write(text, length, 'utf8');
  }
  target[length++] = 0;
  target[length++] = 0;
}

function writeBytes(bytes: Uint8Array): void {
  reserve(bytes.length);
  target.set(bytes, length);
  length += bytes.length;
}

/** A double with its sign arranged for byte order, then how far an int64 lies above that double. */
function writeNumber(value: number, remainder: number): void {
  if (Number.isNaN(value)) {
    writeByte(nanByte);
    return;
  }
  reserve(11);
  target[length] = order.number;
  scratch.writeDoubleBE(value === 0 ? 0 : value);
  const negative = (scratch[0] as number) >= 0x80;
  for (let i = 0; i < 8; i++) {
    const byte = scratch[i] as number;
    target[length + 1 + i] = negative ? ~byte : i === 0 ? byte | 0x80 : byte;
  }
  target.writeUInt16BE(0x8000 + remainder, length + 9);
  length += 11;
}

function writeNumeric(value: unknown): void {
  if (typeof value === 'number') writeNumber(value, 0);
  else if (value instanceof Double) writeNumber(value.value, 0);
  else if (typeof value === 'bigint') {
    const nearest = Number(value);
    writeNumber(nearest, Number(value - BigInt(nearest)));
  } else writeDecimal(value as Decimal128);
}

function writeDecimal(value: Decimal128): void {
  const { nearest, remainder, exact } = decimalParts(value);
  if (!exact) inexact += canonicalDecimal(value);
  writeNumber(nearest, remainder);
}

function writeValue(value: unknown, fold?: Fold): void {
  const type = typeOrder(value);
  if (type === order.number) {
    writeNumeric(value);
    return;
  }
  writeByte(type);
  switch (type) {
    case order.string:
      writeText(fold ? fold(String(value)) : String(value));
      break;
    case order.object:
      writeDocument(value as Document, fold);
      break;
    case order.array:
      for (const element of value as unknown[]) writeValue(element, fold);
      writeByte(0);
      break;
    case order.binary:
      writeBinary(value);
      break;
    case order.objectId:
      writeBytes((value as ObjectId).id);
      break;
    case order.boolean:
      writeByte(value ? 1 : 0);
      break;
    case order.date:
      scratch.writeBigInt64BE(BigInt(Math.trunc((value as Date).getTime() || 0)));
      scratch[0] = (scratch[0] as number) ^ 0x80;
      writeBytes(scratch);
      break;
    case order.timestamp:
      scratch.writeUInt32BE((value as Timestamp).getHighBitsUnsigned(), 0);
      scratch.writeUInt32BE((value as Timestamp).getLowBitsUnsigned(), 4);
      writeBytes(scratch);
      break;
    case order.regex: {
      const { pattern, flags } = regexParts(value);
      writeText(pattern);
      writeText(flags);
    }
  }
}

function writeBinary(value: unknown): void {
  const { bytes, subtype } = binaryParts(value);
  scratch.writeUInt32BE(bytes.length);
  scratch[4] = subtype;
  writeBytes(scratch.subarray(0, 5));
  writeBytes(bytes);
}

/** Type before name, as BSON compares embedded documents. */
function writeDocument(value: Document, fold?: Fold): void {
  for (const key of Object.keys(value)) {
    writeByte(typeOrder(value[key]));
    writeText(key);
    writeValue(value[key], fold);
  }
  writeByte(0);
}

/** Encodes the fields of one index key; a descending field has all its bytes inverted. */
export function encodeKey(
  values: readonly unknown[],
  descending: readonly boolean[],
  fold?: Fold,
): EncodedKey {
  length = 0;
  inexact = '';
  for (let i = 0; i < values.length; i++) {
    const start = length;
    writeValue(values[i], fold);
    if (descending[i]) for (let at = start; at < length; at++) target[at] = ~(target[at] as number);
  }
  return { bytes: Buffer.from(target.subarray(0, length)), lossy: inexact !== '' };
}

/** The same name for values that are equal and for no others; a Map or Set can hold values by it. */
export function equalityKey(value: unknown, fold?: Fold): string | number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return `=${fold ? fold(value) : value}`;
  if (typeof value === 'bigint' && BigInt(Number(value)) === value) return Number(value);
  if (value instanceof Double) return value.value;
  if (value instanceof Decimal128) {
    const { nearest, remainder, exact } = decimalParts(value);
    if (exact && remainder === 0) return nearest;
  }
  return encodeKey([value], [false], fold).bytes.toString('latin1') + inexact;
}

/** The two byte strings between which every value of the operand's type lies, NaN apart. */
export function typeBracket(value: unknown, descending: boolean): { low: Buffer; high: Buffer } {
  const low = descending ? ~typeOrder(value) & 0xff : typeOrder(value);
  return { low: Buffer.from([low]), high: Buffer.from([low + 1]) };
}
