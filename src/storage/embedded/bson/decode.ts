import { Binary, BSONRegExp, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { inOrder } from '../value/ordered.ts';
import { type Document, isInt32 } from '../value/types.ts';
import { fieldNames, valueLength } from './raw.ts';

/**
 * An own decoder, for two reasons: it keeps number types (see value/types.ts) and it can skip the fields that a
 * query does not need, which is most of the cost of a scan. Decoding is synchronous, so its position is a variable.
 */
let at = 0;
let keepTypes = true;

/** How numbers come out: `exact` keeps BSON types, `plain` gives JavaScript numbers for expressions. */
export type Numbers = 'exact' | 'plain';

/** Decodes a whole document, or only the wanted top-level fields. */
export function decode(
  bytes: Buffer,
  wanted?: ReadonlySet<string> | null,
  numbers: Numbers = 'exact',
): Document {
  at = 4;
  keepTypes = numbers === 'exact';
  const document = wanted ? decodeWanted(bytes, wanted) : decodeDocument(bytes);
  // Reading past the end gives zeros and short strings rather than errors; a damaged document must not pass for one.
  if (wanted ? at > bytes.length : at !== bytes.length) throw new RangeError('the document is damaged');
  return document;
}

function decodeWanted(bytes: Buffer, wanted: ReadonlySet<string>): Document {
  const result: Document = {};
  const slots = slotsOf(wanted);
  let remaining = wanted.size;
  for (let type = bytes[at++]; type && remaining > 0; type = bytes[at++]) {
    const start = at;
    while (bytes[at]) at += 1;
    if (slots[slotOf(bytes[start] as number, at - start)]) {
      at = start;
      const name = decodeName(bytes);
      if (wanted.has(name)) {
        assign(result, name, decodeValue(bytes, type));
        remaining -= 1;
        continue;
      }
    } else at += 1;
    at += valueLength(bytes, type, at);
  }
  return result;
}

/** A number below 256 for the first byte and the length of a name: most names are skipped by it and never become texts. */
const slotOf = (first: number, length: number): number => (first + 31 * length) & 0xff;

/** The slots of the names in a set, which is the same one for all documents of a scan. */
const slotsBySet = new WeakMap<ReadonlySet<string>, Uint8Array>();

function slotsOf(names: ReadonlySet<string>): Uint8Array {
  const known = slotsBySet.get(names);
  if (known) return known;
  const slots = new Uint8Array(256);
  for (const name of names) {
    const bytes = Buffer.from(name);
    slots[slotOf(bytes[0] ?? 0, bytes.length)] = 1;
  }
  slotsBySet.set(names, slots);
  return slots;
}

function decodeDocument(bytes: Buffer): Document {
  const result: Document = {};
  const start = at;
  let digits = false;
  for (let type = bytes[at++]; type; type = bytes[at++]) {
    // JavaScript moves names such as "200"; see value/ordered.ts.
    if (((bytes[at] as number) ^ 0x30) < 10) digits = true;
    const name = decodeName(bytes);
    assign(result, name, decodeValue(bytes, type));
  }
  return digits ? inOrder(fieldNames(bytes, start), result) : result;
}

/** A field called __proto__ is data like any other and must not change the prototype. */
function assign(target: Document, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  } else {
    target[name] = value;
  }
}

function decodeArray(bytes: Buffer): unknown[] {
  const result: unknown[] = [];
  for (let type = bytes[at++]; type; type = bytes[at++]) {
    while (bytes[at++]);
    result.push(decodeValue(bytes, type));
  }
  return result;
}

function decodeName(bytes: Buffer): string {
  const start = at;
  let byte = bytes[at];
  let ascii = '';
  while (byte) {
    if (byte > 127 || at - start > 32) {
      const end = bytes.indexOf(0, at);
      at = end + 1;
      return bytes.toString('utf8', start, end);
    }
    ascii += String.fromCharCode(byte);
    byte = bytes[++at];
  }
  at += 1;
  return ascii;
}

function decodeString(bytes: Buffer): string {
  const length = bytes.readInt32LE(at) - 1;
  if (length < 0) throw new RangeError('a string has a negative length');
  at += 4;
  const start = at;
  at += length + 1;
  if (length > 12) return bytes.toString('utf8', start, start + length);
  let ascii = '';
  for (let i = start; i < start + length; i++) {
    const byte = bytes[i] as number;
    if (byte > 127) return bytes.toString('utf8', start, start + length);
    ascii += String.fromCharCode(byte);
  }
  return ascii;
}

function decodeLong(bytes: Buffer): number | bigint {
  const high = bytes.readInt32LE(at + 4);
  const low = bytes.readUInt32LE(at);
  at += 8;
  if (!keepTypes && high >= -0x200000 && high < 0x200000) return high * 0x100000000 + low;
  return (BigInt(high) << 32n) | BigInt(low);
}

function decodeDouble(bytes: Buffer): number | Double {
  const value = bytes.readDoubleLE(at);
  at += 8;
  return keepTypes && isInt32(value) ? new Double(value) : value;
}

function slice(bytes: Buffer, length: number): Buffer {
  if (length < 0) throw new RangeError('a value has a negative length');
  const copy = Buffer.from(bytes.subarray(at, at + length));
  at += length;
  return copy;
}

function decodeBinary(bytes: Buffer): Binary {
  const length = bytes.readInt32LE(at);
  const subtype = bytes[at + 4] as number;
  at += 5;
  if (subtype !== Binary.SUBTYPE_BYTE_ARRAY) return new Binary(slice(bytes, length), subtype);
  at += 4;
  return new Binary(slice(bytes, length - 4), subtype);
}

function decodeDate(bytes: Buffer): Date {
  const value = bytes.readInt32LE(at + 4) * 0x100000000 + bytes.readUInt32LE(at);
  at += 8;
  return new Date(value);
}

function decodeValue(bytes: Buffer, type: number): unknown {
  switch (type) {
    case 0x01:
      return decodeDouble(bytes);
    case 0x02:
      return decodeString(bytes);
    case 0x03:
      at += 4;
      return decodeDocument(bytes);
    case 0x04:
      at += 4;
      return decodeArray(bytes);
    case 0x05:
      return decodeBinary(bytes);
    case 0x0a:
      return null;
    case 0x07:
      return new ObjectId(slice(bytes, 12));
    case 0x08:
      return bytes[at++] === 1;
    case 0x09:
      return decodeDate(bytes);
    case 0x0b: {
      const pattern = decodeName(bytes);
      return new BSONRegExp(pattern, decodeName(bytes));
    }
    case 0x10:
      at += 4;
      return bytes.readInt32LE(at - 4);
    case 0x11: {
      const low = bytes.readUInt32LE(at);
      at += 8;
      return new Timestamp({ i: low, t: bytes.readUInt32LE(at - 4) });
    }
    case 0x12:
      return decodeLong(bytes);
    case 0x13:
      return new Decimal128(slice(bytes, 16));
    case 0x7f:
      return new MaxKey();
    case 0xff:
      return new MinKey();
    default:
      throw new RangeError(`unknown element type ${type}`);
  }
}
