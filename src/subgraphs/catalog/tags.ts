import { invalidInput } from '../../errors/index.ts';
import { isObject } from '../../lib/json.ts';

/** Tags of a resource: at most 50 texts of at most 255 characters by name. */
export function parseTags(value: unknown, param = 'input.tags'): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidInput(param, 'tags must be an object.');
  const entries = Object.entries(value);
  if (entries.length > 50) throw invalidInput(param, 'There are at most 50 tags.');
  for (const [name, text] of entries) {
    // A dot or dollar would mean a path or an operator in a query.
    if (!/^[^.$]{1,128}$/.test(name))
      throw invalidInput(`${param}.${name}`, 'Tag names are 1 to 128 characters without dots and dollars.');
    if (typeof text !== 'string' || text.length > 255) {
      throw invalidInput(`${param}.${name}`, 'Tag values are strings of at most 255 characters.');
    }
  }
  return value as Record<string, string>;
}

/** The part of a query that a `tags` list argument stands for. */
export function tagFilter(tags: unknown): Record<string, string> {
  const entries = Object.entries(parseTags(tags, 'tags'));
  return Object.fromEntries(entries.map(([name, text]) => [`tags.${name}`, text]));
}
