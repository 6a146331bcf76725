import { BSON, type Document } from 'mongodb';

/** The name of a BSON class, or nothing for what JavaScript has itself. */
function bsonType(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null
    ? ((value as { _bsontype?: string })._bsontype ?? undefined)
    : undefined;
}

const isBuiltIn = (value: object) =>
  value instanceof Date || value instanceof Uint8Array || value instanceof RegExp;

/** Whether a value is an embedded document rather than a scalar or an array. */
export function isDocument(value: unknown): value is Document {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return bsonType(value) === undefined && !isBuiltIn(value);
}

/** The value of a number of any BSON type but Decimal128; nothing for other values. */
export function numericValue(value: unknown): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  switch (bsonType(value)) {
    case 'Int32':
    case 'Double':
      return (value as { value: number }).value;
    case 'Long':
      return (value as { toBigInt(): bigint }).toBigInt();
    default:
      return undefined;
  }
}

/** A value with numbers as JavaScript has them, as options of the driver and of this runner take them. */
export function plain(value: unknown): unknown {
  const number = numericValue(value);
  if (number !== undefined) return Number(number);
  if (Array.isArray(value)) return value.map(plain);
  if (!isDocument(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isDocument(value)) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

/** Canonical Extended JSON with sorted keys: equal for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  return BSON.EJSON.stringify(sortKeys(value), { relaxed: false }) ?? 'undefined';
}

/** A value as people read it in a report, shortened. */
export function show(value: unknown): string {
  const text =
    value === undefined ? 'nothing' : (BSON.EJSON.stringify(value, { relaxed: true }) ?? 'nothing');
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}

const aliases: Record<string, string> = {
  Int32: 'int',
  Double: 'double',
  Long: 'long',
  Decimal128: 'decimal',
  ObjectId: 'objectId',
  Binary: 'binData',
  BSONRegExp: 'regex',
  BSONSymbol: 'symbol',
  Timestamp: 'timestamp',
  MinKey: 'minKey',
  MaxKey: 'maxKey',
  DBRef: 'object',
};

/** The driver gives numbers without their type, so that a whole number may have been any of three. */
function numberAliases(value: number): string[] {
  if (!Number.isInteger(value)) return ['double'];
  return Math.abs(value) < 2 ** 31 ? ['int', 'long', 'double'] : ['long', 'double'];
}

/** The aliases of the BSON types that a value may have, as the `$type` query operator names them. */
export function typeAliases(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (value instanceof Date) return ['date'];
  if (value instanceof RegExp) return ['regex'];
  if (value instanceof Uint8Array) return ['binData'];
  if (typeof value === 'number') return [...numberAliases(value), 'number'];
  if (typeof value === 'bigint') return ['long', 'number'];
  if (typeof value === 'string') return ['string'];
  if (typeof value === 'boolean') return ['bool'];
  const type = bsonType(value);
  if (type === undefined) return isDocument(value) ? ['object'] : [];
  if (type === 'Code') return [(value as { scope?: unknown }).scope ? 'javascriptWithScope' : 'javascript'];
  const alias = aliases[type];
  if (alias === undefined) return [];
  return numericValue(value) === undefined && alias !== 'decimal' ? [alias] : [alias, 'number'];
}
