import { GatewayError } from '../../errors/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';

/** Absent and null say the same in requests. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** A 400 that names the field. */
export const refused = (param: string, message: string): GatewayError =>
  new GatewayError('VALIDATION_FAILED', { message, param });

export function fieldsAt(value: unknown, param: string): JsonObject {
  if (isObject(value)) return value;
  throw refused(param, `${param} must be an object.`);
}

export function listAt(value: unknown, param: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw refused(param, `${param} must be an array.`);
}

export function textAt(value: unknown, param: string): string {
  if (typeof value === 'string') return value;
  throw refused(param, `${param} must be a string.`);
}

/** A value of the caller's for an error message. */
export const quoted = (value: unknown): string => JSON.stringify(String(value).slice(0, 100));

/** The JSON text of a value out of a request, which may be nested more deeply than it can be written again. */
export function jsonAt(value: unknown, param: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new GatewayError('MALFORMED_BODY', { message: `${param} is nested too deeply.`, param, cause });
  }
}

/** Levels of nesting in what a request says and an answer repeats; far above those of real schemas. */
const MAX_LEVELS = 100;

export function requireShallow(value: unknown, param: string): void {
  if (isDeeper(value, MAX_LEVELS))
    throw refused(param, `${param} is nested more than ${MAX_LEVELS} levels deep.`);
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

/** Those of the fields that are given. */
export function picked(fields: JsonObject, names: readonly string[]): JsonObject {
  const found: JsonObject = {};
  for (const name of names) if (isGiven(fields[name])) found[name] = fields[name];
  return found;
}

/** What makes a stream tell its usage, which both formats show at the end. */
export const streaming = (body: JsonObject): JsonObject =>
  body.stream === true ? { stream: true, stream_options: { include_usage: true } } : {};
