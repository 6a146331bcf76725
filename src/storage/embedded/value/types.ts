import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';

/**
 * Values in memory: int32 and double are numbers, int64 is a bigint, and a double that JavaScript could not tell
 * from an int32 is a bson `Double`, so that every number keeps its BSON type through a rewrite.
 */
export type Document = Record<string, unknown>;

/** The canonical order of BSON types; equal numbers compare with each other. */
export const order = {
  minKey: 0x05,
  undefined: 0x08,
  null: 0x0a,
  number: 0x14,
  string: 0x1e,
  object: 0x28,
  array: 0x32,
  binary: 0x3c,
  objectId: 0x46,
  boolean: 0x50,
  date: 0x5a,
  timestamp: 0x64,
  regex: 0x6e,
  dbRef: 0x78,
  code: 0x7c,
  codeWithScope: 0x7e,
  maxKey: 0xf0,
} as const;

/** True for an embedded document (and not for one of the BSON wrapper classes). */
export function isDocument(value: unknown): value is Document {
  if (value === null || typeof value !== 'object') return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The place of a value's type in the BSON order. Missing counts as null, as it does when sorting. */
export function typeOrder(value: unknown): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return order.number;
    case 'string':
      return order.string;
    case 'boolean':
      return order.boolean;
    case 'object':
      return value === null ? order.null : objectOrder(value);
    case 'symbol':
      return order.undefined;
    default:
      return order.null;
  }
}

/** Stands for an empty array in indexes and sorts, where it is less than null. */
export const emptyArray: unique symbol = Symbol('empty array');

function objectOrder(value: object): number {
  if (isDocument(value)) return order.object;
  if (Array.isArray(value)) return order.array;
  if (value instanceof ObjectId) return order.objectId;
  if (value instanceof Date) return order.date;
  if (value instanceof Binary || value instanceof Uint8Array) return order.binary;
  if (value instanceof Double || value instanceof Decimal128) return order.number;
  if (value instanceof Timestamp) return order.timestamp;
  if (value instanceof BSONRegExp || value instanceof RegExp) return order.regex;
  if (value instanceof BSONSymbol) return order.string;
  if (value instanceof MinKey) return order.minKey;
  if (value instanceof MaxKey) return order.maxKey;
  if (value instanceof Code) return value.scope === null ? order.code : order.codeWithScope;
  if (value instanceof DBRef) return order.dbRef;
  return order.object;
}

const typeNames: Record<number, string> = {
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  5: 'binData',
  6: 'undefined',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  10: 'null',
  11: 'regex',
  12: 'dbPointer',
  13: 'javascript',
  14: 'symbol',
  15: 'javascriptWithScope',
  16: 'int',
  17: 'timestamp',
  18: 'long',
  19: 'decimal',
  [-1]: 'minKey',
  127: 'maxKey',
};

export const typeNumbers: Record<string, number> = Object.fromEntries(
  Object.entries(typeNames).map(([number, name]) => [name, Number(number)]),
);

/** True when JavaScript's number would be written as an int32. */
export function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

/** The BSON type number of a value, as `$type` speaks of it. */
export function typeNumber(value: unknown): number {
  if (typeof value === 'number') return isInt32(value) ? 16 : 1;
  if (typeof value === 'bigint') return 18;
  if (value instanceof Double) return 1;
  if (value instanceof Decimal128) return 19;
  if (value instanceof BSONSymbol) return 14;
  switch (typeOrder(value)) {
    case order.string:
      return 2;
    case order.object:
      return 3;
    case order.array:
      return 4;
    case order.binary:
      return 5;
    case order.objectId:
      return 7;
    case order.boolean:
      return 8;
    case order.date:
      return 9;
    case order.regex:
      return 11;
    case order.timestamp:
      return 17;
    case order.dbRef:
      return 3;
    case order.code:
      return 13;
    case order.codeWithScope:
      return 15;
    case order.minKey:
      return -1;
    case order.maxKey:
      return 127;
    default:
      return 10;
  }
}

/** The name of a value's BSON type, for messages. */
export function typeName(value: unknown): string {
  return value === undefined ? 'missing' : (typeNames[typeNumber(value)] ?? 'unknown');
}

/** Int, double and long as one JavaScript number; null for anything else (Decimal128 included). */
export function asNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Double ? value.value : null;
}
