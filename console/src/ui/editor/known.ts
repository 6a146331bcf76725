import type { Place } from './place.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a JSON Schema knows for a place: how it is written in JSON, and what it means. */
export type Known = { text: string; detail: string };

/** The names or values that a schema knows for a place of a text, in the order of the schema; names that are there are left out. */
export function knownAt(schema: unknown, { path, names, expects }: Place): Known[] {
  if (expects === null) return [];
  const inside = path.reduce(
    (found, step) => found.flatMap((one) => below(schema, one, step)),
    alternatives(schema, schema),
  );
  const known =
    'name' in expects
      ? inside.flatMap(({ properties }) => Object.entries(isObject(properties) ? properties : {})).map(nameOf)
      : inside.flatMap((one) => below(schema, one, expects.valueOf)).flatMap(valuesOf);
  const given = new Set('name' in expects ? names.map((name) => JSON.stringify(name)) : []);
  return [...new Map(known.map((one) => [one.text, one])).values()].filter(({ text }) => !given.has(text));
}

const nameOf = ([name, own]: [string, unknown]): Known => ({
  text: JSON.stringify(name),
  detail: isObject(own) && typeof own.description === 'string' ? own.description : '',
});

function valuesOf({ enum: choices, const: only, type }: Json): Known[] {
  const values = Array.isArray(choices)
    ? choices
    : only !== undefined
      ? [only]
      : type === 'boolean'
        ? [true, false]
        : [];
  return values.map((value) => ({ text: JSON.stringify(value), detail: '' }));
}

/** What a schema says of a member, or, for null, of the items of a list. */
function below(
  root: unknown,
  { properties, additionalProperties, items }: Json,
  step: string | null,
): Json[] {
  if (step === null) return alternatives(root, items);
  const own = isObject(properties) ? properties[step] : undefined;
  return alternatives(root, own ?? additionalProperties);
}

/** The schemas of which a value can be, references and choices among them resolved. */
function alternatives(root: unknown, schema: unknown, seen: ReadonlySet<unknown> = new Set()): Json[] {
  if (!isObject(schema) || seen.has(schema)) return [];
  const within = new Set([...seen, schema]);
  const { $ref, anyOf, oneOf, allOf } = schema;
  const others = [
    ...(typeof $ref === 'string' ? [referred(root, $ref)] : []),
    ...[anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : [])),
  ];
  return [schema, ...others.flatMap((other) => alternatives(root, other, within))];
}

/** What a reference within the schema names, such as `#/$defs/target`. */
const referred = (root: unknown, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((found, part) => (isObject(found) ? found[part] : undefined), root);
