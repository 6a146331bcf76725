import { attributePath } from './members.ts';

/** Which attributes of a resource a client wants: `attributes`, or all but `excludedAttributes`. */
export type ScimProjection = { only: string[] | null; without: string[] };

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map(attributePath)
    .filter((name) => name !== '');

export function projectionOf(query: ReadonlyMap<string, string>): ScimProjection {
  const only = query.get('attributes');
  return {
    only: only === undefined ? null : namesIn(only),
    without: namesIn(query.get('excludedattributes') ?? ''),
  };
}

const always = new Set(['id', 'schemas']);

/** Whether any of a top-level attribute is wanted. */
export function isWanted({ only, without }: ScimProjection, name: string): boolean {
  const attribute = name.toLowerCase();
  if (always.has(attribute)) return true;
  if (only) return only.some((path) => path === attribute || path.startsWith(`${attribute}.`));
  return !without.includes(attribute);
}

type Resource = Record<string, unknown>;

/** What is wanted of a resource; `name.givenName` names a part of an attribute. */
export function projected(resource: Resource, projection: ScimProjection): Resource {
  const kept = Object.entries(resource).filter(([name]) => isWanted(projection, name));
  return Object.fromEntries(kept.map(([name, value]) => [name, partOf(value, name, projection)]));
}

function partOf(value: unknown, attribute: string, { only, without }: ScimProjection): unknown {
  const prefix = `${attribute.toLowerCase()}.`;
  const parts = (paths: string[]) =>
    paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  if (only) {
    if (only.includes(attribute.toLowerCase()) || always.has(attribute)) return value;
    return withParts(value, (name) => parts(only).includes(name));
  }
  const excluded = parts(without);
  return excluded.length === 0 ? value : withParts(value, (name) => !excluded.includes(name));
}

function withParts(value: unknown, isKept: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withParts(item, isKept));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => isKept(name.toLowerCase())));
}
