import { ScimFault } from './fault.ts';

/** A JSON object whose member names are in lower case, as the names of attributes count in SCIM. */
export type ScimMembers = ReadonlyMap<string, unknown>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const coreSchema = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/;

/** `urn:ietf:params:scim:schemas:core:2.0:User:name.givenName` -> `name.givenname` */
export const attributePath = (path: string): string => path.trim().toLowerCase().replace(coreSchema, '');

/** Throws invalidSyntax for anything but an object. */
export function membersOf(value: unknown, what: string): ScimMembers {
  if (!isObject(value)) throw new ScimFault('invalidSyntax', `${what} must be an object.`);
  return new Map(Object.entries(value).map(([name, member]) => [attributePath(name), member]));
}

/** Throws invalidValue for anything but a text. */
export function textOf(value: unknown, attribute: string): string {
  if (typeof value === 'string') return value;
  throw new ScimFault('invalidValue', `${attribute} must be a string.`);
}

/** A text, or null where the attribute is to have no value. */
export const textOrNull = (value: unknown, attribute: string): string | null =>
  value === null || value === '' ? null : textOf(value, attribute);

/** Entra ID writes `"True"` and `"False"`. */
export function booleanOf(value: unknown, attribute: string): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ScimFault('invalidValue', `${attribute} must be true or false.`);
}
