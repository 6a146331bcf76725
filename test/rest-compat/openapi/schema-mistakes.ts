import type { Schema } from '../../../rest-compat/openapi/document.ts';

export type Schemas = Record<string, Schema>;

/** What is wrong with a value, one line each. Members that the schema does not name are wrong as well. */
export function mistakesOf(value: unknown, schema: Schema, schemas: Schemas, path = '$'): string[] {
  const { type, isNullable, enums, members, items, bounds } = flatten(schema, schemas);
  const wrong = (what: string) => [`${path} ${what}: ${JSON.stringify(value)}`];
  if (value === undefined) return wrong('is missing');
  if (type === undefined && enums === undefined) return [];
  if (value === null) return isNullable ? [] : wrong('is null');
  if (enums && !enums.includes(value)) return wrong(`is none of ${enums.join(', ')}`);
  if (type && !isOfType(value, type)) return wrong(`is no ${type}`);
  if (Array.isArray(value)) {
    const all = value.flatMap((item, index) => mistakesOf(item, items ?? {}, schemas, `${path}[${index}]`));
    return [...all, ...brokenBounds(value, bounds).flatMap(wrong)];
  }
  if (typeof value !== 'object') return brokenBounds(value, bounds).flatMap(wrong);
  const found = value as Record<string, unknown>;
  const unknown = Object.keys(found).filter((name) => !members.has(name));
  return [
    ...unknown.flatMap((name) => wrong(`has a member ${name}`)),
    ...[...members].flatMap(([name, { schema: member, required }]) =>
      name in found || required ? mistakesOf(found[name], member, schemas, `${path}.${name}`) : [],
    ),
  ];
}

type Flat = {
  type: Schema['type'];
  isNullable: boolean;
  enums: unknown[] | undefined;
  members: Map<string, { schema: Schema; required: boolean }>;
  items: Schema | undefined;
  bounds: Schema;
};

/** A schema with its references and parts put together. */
function flatten(schema: Schema, schemas: Schemas): Flat {
  if (schema.$ref) {
    const target = schemas[schema.$ref.replace('#/components/schemas/', '')];
    if (!target) throw new Error(`${schema.$ref} is not there.`);
    return flatten(target, schemas);
  }
  const parts = (schema.allOf ?? []).map((part) => flatten(part, schemas));
  const own = Object.entries(schema.properties ?? {}).map(
    ([name, member]) =>
      [name, { schema: member, required: schema.required?.includes(name) ?? false }] as const,
  );
  return {
    type: schema.type ?? parts.find(({ type }) => type)?.type,
    isNullable: schema.nullable ?? false,
    enums: schema.enum,
    members: new Map([...parts.flatMap(({ members }) => [...members]), ...own]),
    items: schema.items,
    bounds: schema,
  };
}

function isOfType(value: unknown, type: NonNullable<Schema['type']>): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && !Array.isArray(value);
}

function brokenBounds(value: unknown, bounds: Schema): string[] {
  const { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity } = bounds;
  const { minItems = 0, maxItems = Infinity, pattern, format } = bounds;
  const broken: string[] = [];
  if (typeof value === 'number' && (value < minimum || value > maximum)) broken.push('is out of range');
  if (Array.isArray(value) && (value.length < minItems || value.length > maxItems)) {
    broken.push('has the wrong number of items');
  }
  if (typeof value !== 'string') return broken;
  if (value.length < minLength || value.length > maxLength) broken.push('has the wrong length');
  if (pattern && !new RegExp(pattern, 'u').test(value)) broken.push(`does not match ${pattern}`);
  if (format && !formats[format]?.test(value)) broken.push(`is no ${format}`);
  return broken;
}

const formats: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^https?:\/\/[^\s/]+/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};
