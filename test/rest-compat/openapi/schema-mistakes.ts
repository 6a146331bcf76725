import type { Schema } from '../../../rest-compat/openapi/document.ts';
import { resolved, type Schemas } from '../../../rest-compat/openapi/resolve.ts';

/** What is wrong with a value, one line each. Members that the schema does not name are wrong as well. */
export function mistakesOf(value: unknown, schema: Schema, schemas: Schemas, path = '$'): string[] {
  const own = resolved(schema, schemas);
  const { type, enum: values, properties = {}, required = [] } = own;
  const wrong = (what: string) => [`${path} ${what}: ${JSON.stringify(value)}`];
  if (value === undefined) return wrong('is missing');
  if (type === undefined && values === undefined) return [];
  if (value === null) return own.nullable ? [] : wrong('is null');
  if (values && !values.includes(value)) return wrong(`is none of ${values.join(', ')}`);
  if (type && !isOfType(value, type)) return wrong(`is no ${type}`);
  if (Array.isArray(value)) {
    const all = value.flatMap((item, index) =>
      mistakesOf(item, own.items ?? {}, schemas, `${path}[${index}]`),
    );
    return [...all, ...brokenBounds(value, own).flatMap(wrong)];
  }
  if (typeof value !== 'object') return brokenBounds(value, own).flatMap(wrong);
  const found = value as Record<string, unknown>;
  const isOpen = own.additionalProperties === true;
  const unknown = Object.keys(found).filter((name) => !isOpen && !Object.hasOwn(properties, name));
  return [
    ...unknown.flatMap((name) => wrong(`has a member ${name}`)),
    ...Object.entries(properties).flatMap(([name, member]) =>
      name in found || required.includes(name)
        ? mistakesOf(found[name], member, schemas, `${path}.${name}`)
        : [],
    ),
  ];
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
  binary: /^/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^https?:\/\/[^\s/]+/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};
