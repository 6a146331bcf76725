import { GatewayError } from '../../errors/index.ts';
import { isObject } from '../../lib/json.ts';

const invalid = (message: string, param: string) => new GatewayError('VALIDATION_FAILED', { message, param });

/** Tags of a resource: at most 50 texts of at most 255 characters by name. */
export function parseTags(value: unknown, param = 'input.tags'): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalid('tags must be an object.', param);
  const entries = Object.entries(value);
  if (entries.length > 50) throw invalid('There are at most 50 tags.', param);
  for (const [name, text] of entries) {
    // A dot or dollar would mean a path or an operator in a query.
    if (!/^[^.$]{1,128}$/.test(name))
      throw invalid('Tag names are 1 to 128 characters without dots and dollars.', `${param}.${name}`);
    if (typeof text !== 'string' || text.length > 255) {
      throw invalid('Tag values are strings of at most 255 characters.', `${param}.${name}`);
    }
  }
  return value as Record<string, string>;
}

/** The part of a query that a `tags` list argument stands for. */
export function tagFilter(tags: unknown): Record<string, string> {
  const entries = Object.entries(parseTags(tags, 'tags'));
  return Object.fromEntries(entries.map(([name, text]) => [`tags.${name}`, text]));
}
