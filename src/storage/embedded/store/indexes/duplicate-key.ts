import { Decimal128, Double, ObjectId } from 'bson';
import { CommandError } from '../../errors.ts';
import { collectValues } from '../../query/path.ts';
import { binaryParts } from '../../value/compare.ts';
import { type Document, isDocument, order, typeOrder } from '../../value/types.ts';
import type { Index } from './index-spec.ts';

/** The error of a second document with a unique key, in the words that drivers and Mongoose plugins parse. */
export function duplicateKey(namespace: string, index: Index, document: Document): CommandError {
  const keyValue: Document = {};
  index.names.forEach((name, i) => {
    const values: unknown[] = [];
    collectValues(document, index.paths[i] ?? [], 0, null, values);
    keyValue[name] = values[0] ?? null;
  });
  const message = `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: ${show(keyValue)}`;
  return new CommandError(11000, message, { keyPattern: index.key, keyValue });
}

function show(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Double) return `${value.value}.0`;
  if (value instanceof Decimal128) return value.toString();
  if (Array.isArray(value)) return `[ ${value.map(show).join(', ')} ]`;
  if (isDocument(value)) {
    const fields = Object.entries(value).map(([key, item]) => `${key}: ${show(item)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  if (typeOrder(value) === order.binary) {
    const { bytes, subtype } = binaryParts(value);
    return `BinData(${subtype}, ${Buffer.from(bytes).toString('hex').toUpperCase()})`;
  }
  return String(value);
}
