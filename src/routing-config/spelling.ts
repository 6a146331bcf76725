import { settingAliases } from '../providers/index.ts';

/** `maxAge` as `max_age`. */
export const snakeCaseKey = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

// Objects whose members belong to the config; every other object is the caller's own data and keeps its spelling.
const configObjects = new Set(['strategy', 'retry', 'cache', 'cb_config', 'sticky']);
const aliases = new Map([
  ...settingAliases,
  ['use_retry_after_headers', 'use_retry_after_header'],
  ['strict_open_a_i_compliance', 'strict_open_ai_compliance'],
  ['strict_openai_compliance', 'strict_open_ai_compliance'],
  ['open_ai_organization', 'openai_organization'],
  ['open_ai_project', 'openai_project'],
]);

/** The name under which a key of a config is known. */
export function nameOfKey(key: string): string {
  const plain = snakeCaseKey(key);
  return aliases.get(plain) ?? plain;
}

/** The paths of keys that a config has in both spellings: only one of the values could be used. */
export function repeatedKeys(value: unknown, path = 'config'): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const seen = new Set<string>();
  return Object.entries(value).flatMap(([key, member]) => {
    const name = nameOfKey(key);
    const repeated = seen.has(name) ? [`${path}.${key}`] : [];
    seen.add(name);
    return [...repeated, ...repeatedBelow(name, member, `${path}.${key}`)];
  });
}

function repeatedBelow(name: string, member: unknown, path: string): string[] {
  if (configObjects.has(name)) return repeatedKeys(member, path);
  if (name !== 'targets' || !Array.isArray(member)) return [];
  return member.flatMap((target, index) => repeatedKeys(target, `${path}[${index}]`));
}

/** A config with every key of its own in snake_case; clients use both spellings. */
export function toSnakeCaseConfig(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = nameOfKey(key);
      if (configObjects.has(name)) return [name, toSnakeCaseConfig(member)];
      if (name === 'targets' && Array.isArray(member)) return [name, member.map(toSnakeCaseConfig)];
      return [name, member];
    }),
  );
}
