import { BSONRegExp, Double } from 'bson';
import { toRegExp } from '../query/regex.ts';
import { inOrder, needsOrder } from './ordered.ts';
import { type Document, isDocument } from './types.ts';

/**
 * The same value as expressions want it: every number that fits is a JavaScript number. Containers are copied only
 * when something inside them changes.
 */
export function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return plainArray(value);
  if (isDocument(value)) return plainDocument(value);
  return value instanceof Double ? value.value : value;
}

function plainArray(value: unknown[]): unknown[] {
  let copy: unknown[] | null = null;
  for (let i = 0; i < value.length; i++) {
    const item = toPlain(value[i]);
    if (item === value[i]) continue;
    copy ??= value.slice();
    copy[i] = item;
  }
  return copy ?? value;
}

/** A plain copy of a document. */
export function plainDocument(value: Document): Document {
  let copy: Document | null = null;
  for (const key of Object.keys(value)) {
    const item = toPlain(value[key]);
    if (item === value[key]) continue;
    copy ??= { ...value };
    copy[key] = item;
  }
  if (!copy) return value;
  return needsOrder(value) ? inOrder(Object.keys(value), copy) : copy;
}

/** An expression as mingo wants it: plain numbers and JavaScript's own regular expressions. */
export function plainExpression(value: unknown): unknown {
  if (value instanceof BSONRegExp) return toRegExp(value.pattern, value.options);
  if (Array.isArray(value)) return value.map(plainExpression);
  if (!isDocument(value)) return toPlain(value);
  const result: Document = {};
  for (const [key, item] of Object.entries(value)) result[key] = plainExpression(item);
  return result;
}
