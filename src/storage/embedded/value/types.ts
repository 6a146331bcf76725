import { Binary, BSONRegExp, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { CommandError } from '../errors.ts';

/**
 * Values in memory: int32 and double are numbers, int64 is a bigint, and a double that JavaScript could not tell
 * from an int32 is a bson `Double`, so that every number keeps its BSON type through a rewrite.
 */
export type Document = Record<string, unknown>;

/** The canonical order of BSON types; equal numbers compare with each other. */
export const order = {
  minKey: 0x05,
  emptyArray: 0x08,
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
      return order.emptyArray;
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
  if (value instanceof Binary) return order.binary;
  if (value instanceof Double || value instanceof Decimal128) return order.number;
  if (value instanceof Timestamp) return order.timestamp;
  if (value instanceof BSONRegExp || value instanceof RegExp) return order.regex;
  if (value instanceof MinKey) return order.minKey;
  if (value instanceof MaxKey) return order.maxKey;
  return order.object;
}

/** Every type that can be stored: its name, its number for `$type`, and its place; numbers share one place. */
const types: readonly [name: string, number: number, place: number][] = [
  ['minKey', -1, order.minKey],
  ['null', 10, order.null],
  ['double', 1, order.number],
  ['int', 16, order.number],
  ['long', 18, order.number],
  ['decimal', 19, order.number],
  ['string', 2, order.string],
  ['object', 3, order.object],
  ['array', 4, order.array],
  ['binData', 5, order.binary],
  ['objectId', 7, order.objectId],
  ['bool', 8, order.boolean],
  ['date', 9, order.date],
  ['timestamp', 17, order.timestamp],
  ['regex', 11, order.regex],
  ['maxKey', 127, order.maxKey],
];
const typeNames = new Map(types.map(([name, number]) => [number, name]));
const numbersByPlace = new Map(types.map(([, number, place]) => [place, number]));

/** The type numbers by their names. */
export const typeNumbers: Readonly<Record<string, number>> = Object.fromEntries(types);

/** True when JavaScript's number would be written as an int32. */
export function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

/** The BSON type number of a value, as `$type` speaks of it. */
export function typeNumber(value: unknown): number {
  if (typeof value === 'number') return isInt32(value) ? 16 : 1;
  if (typeof value === 'bigint') return 18;
  if (value instanceof Double) return 1;
  return value instanceof Decimal128 ? 19 : (numbersByPlace.get(typeOrder(value)) ?? 10);
}

/** The name of a value's BSON type, for messages. */
export function typeName(value: unknown): string {
  return value === undefined ? 'missing' : (typeNames.get(typeNumber(value)) ?? 'unknown');
}

/** Int, double and long as one JavaScript number; null for anything else (Decimal128 included). */
export function asNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Double ? value.value : null;
}

/** The value as a document, or the refusal that is given for anything else. */
export function expectDocument(value: unknown, code: number, message: string): Document {
  if (isDocument(value)) return value;
  throw new CommandError(code, message);
}
