import { isObject, type JsonObject } from '../../../lib/json.ts';

/** Readers of answers. Each throws an Error where the answer has another form. */

export function objectOf(value: unknown, what = 'answer'): JsonObject {
  if (!isObject(value)) throw new Error(`The service gave no ${what}.`);
  return value;
}

export function listOf(value: unknown, what: string): JsonObject[] {
  if (!Array.isArray(value)) throw new Error(`The service gave no ${what}.`);
  return value.map((item) => objectOf(item, what));
}

export function booleanOf(value: unknown, what: string): boolean {
  if (typeof value !== 'boolean') throw new Error(`The service gave no ${what}.`);
  return value;
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Error(`The service gave no ${what}.`);
  return value;
}

export function numberOf(value: unknown, what: string): number {
  if (typeof value !== 'number') throw new Error(`The service gave no ${what}.`);
  return value;
}

/** The keys of an object whose value is true. */
export const trueKeys = (value: unknown): string[] =>
  isObject(value) ? Object.keys(value).filter((key) => value[key] === true) : [];

/** A kind as placeholders name it: `US Bank Account` becomes `US_BANK_ACCOUNT`. */
export const placeholderOf = (kind: string): string =>
  kind
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .slice(0, 60);
