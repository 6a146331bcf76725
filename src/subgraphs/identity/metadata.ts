import { invalidInput } from '../../errors/index.ts';
import { isObject } from '../../lib/json.ts';

/** The members of an optional `defaults` input; throws on a member that nothing acts on, naming it. */
export function parseMembers(
  value: unknown,
  known: readonly string[],
  param: string,
): Record<string, unknown> | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw invalidInput(param, 'defaults must be an object.');
  const stranger = Object.keys(value).find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw invalidInput(`${param}.${stranger}`, `defaults.${stranger} is not supported.`);
  return value;
}

/** Default request metadata: at most 100 keys, texts of at most 128 characters. */
export function parseMetadata(value: unknown, param: string): Record<string, string> {
  if (!isObject(value)) throw invalidInput(param, 'defaults.metadata must be an object.');
  const entries = Object.entries(value);
  if (entries.length > 100) throw invalidInput(param, 'Metadata has at most 100 keys.');
  for (const [key, text] of entries) {
    if (key === '' || key.length > 128) throw invalidInput(param, 'Metadata keys have 1 to 128 characters.');
    if (typeof text !== 'string' || text.length > 128) {
      throw invalidInput(`${param}.${key}`, 'Metadata values are strings of at most 128 characters.');
    }
  }
  return value as Record<string, string>;
}
