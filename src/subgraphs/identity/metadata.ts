import { GatewayError } from '../../errors/index.ts';
import { isObject } from '../../lib/json.ts';

const invalid = (message: string, param: string) => new GatewayError('VALIDATION_FAILED', { message, param });

/** The members of an optional `defaults` input; throws on a member that nothing acts on, naming it. */
export function parseMembers(
  value: unknown,
  known: readonly string[],
  param: string,
): Record<string, unknown> | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw invalid('defaults must be an object.', param);
  const stranger = Object.keys(value).find((name) => !known.includes(name));
  if (stranger !== undefined) throw invalid(`defaults.${stranger} is not supported.`, `${param}.${stranger}`);
  return value;
}

/** Default request metadata: at most 100 keys, texts of at most 128 characters (spec/data-plane.md, section 8.2). */
export function parseMetadata(value: unknown, param: string): Record<string, string> {
  if (!isObject(value)) throw invalid('defaults.metadata must be an object.', param);
  const entries = Object.entries(value);
  if (entries.length > 100) throw invalid('Metadata has at most 100 keys.', param);
  for (const [key, text] of entries) {
    if (key === '' || key.length > 128) throw invalid('Metadata keys have 1 to 128 characters.', param);
    if (typeof text !== 'string' || text.length > 128) {
      throw invalid('Metadata values are strings of at most 128 characters.', `${param}.${key}`);
    }
  }
  return value as Record<string, string>;
}
