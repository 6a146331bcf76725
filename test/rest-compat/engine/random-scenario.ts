import fc from 'fast-check';
import { snakeCase } from '../../../rest-compat/compile/names.ts';
import {
  names,
  parameterType,
  pathType,
  type RandomType,
  randomObject,
  randomType,
  valuesOf,
} from './random-rest.ts';

export type Selected = { key: string; restKey: string; below: Selected[] };
export type Variable = { name: string; type: RandomType; from: 'path' | 'query' | 'body' };

/** Some fields of a type, at least one, some under an alias. */
function selectionOf(type: RandomType): fc.Arbitrary<{ text: string; selected: Selected[] }> {
  return fc
    .subarray(type.fields, { minLength: 1 })
    .chain((fields) =>
      fc.tuple(...fields.map((field) => fc.tuple(fc.constant(field), fc.boolean(), below(field.type)))),
    )
    .map((chosen) => {
      const parts = chosen.map(([{ name }, hasAlias, { text, selected }], index) => {
        const alias = hasAlias ? `aliasOf_${index}` : null;
        return {
          text: `${alias ? `${alias}: ` : ''}${name}${text}`,
          selected: { key: alias ?? name, restKey: alias ?? snakeCase(name), below: selected },
        };
      });
      return {
        text: ` { ${parts.map(({ text }) => text).join(' ')} }`,
        selected: parts.map(({ selected }) => selected),
      };
    });
}

const below = (type: RandomType) =>
  type.fields.length > 0 ? selectionOf(type) : fc.constant({ text: '', selected: [] as Selected[] });

/** GraphQL's own answer under the names that REST shows. */
export function renamed(value: unknown, selected: Selected[]): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, selected));
  if (selected.length === 0 || typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(
    selected.map(({ key, restKey, below }) => [restKey, renamed(members[key], below)]),
  );
}

/** A value as a caller writes it: members in snake_case or as the schema has them. */
export function spelled(value: unknown, type: RandomType, snake: boolean): unknown {
  if (Array.isArray(value) && type.isList) return value.map((item) => spelled(item, type, snake));
  if (type.fields.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([member, content]) => {
      const field = type.fields.find(({ name }) => name === member);
      return [snake ? snakeCase(member) : member, field ? spelled(content, field.type, snake) : content];
    }),
  );
}

const textOf = (value: unknown, { sdl }: RandomType) =>
  sdl.includes('JSON') ? JSON.stringify(value) : String(value);

/** The pairs of a query string that carry a value, in one of the forms that lists have. */
export function queryOf(name: string, value: unknown, type: RandomType, form: number): string[] {
  const pair = (key: string, text: string) => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`;
  if (!type.isList) return [pair(name, textOf(value, type))];
  const texts = (value as unknown[]).map((item) => textOf(item, type));
  const isPlain = texts.every((text) => !text.includes(',') && text === text.trim());
  if (texts.length === 0) return [`${name}=`];
  if (isPlain && form === 0) return [pair(name, texts.join(','))];
  if (isPlain && form === 1) return texts.map((text) => pair(name, text));
  return texts.map((text, index) => pair(form === 2 ? `${name}[${index}]` : `${name}[]`, text));
}

/** One operation over a schema of its own, and requests to it. */
export const scenario = fc
  .record({
    out: randomObject('type', 2),
    body: fc.option(randomType('input', 2)),
    variables: names(4).chain((all) =>
      fc.tuple(
        ...all.map((name, index) =>
          index === 0
            ? pathType.map((type): Variable => ({ name, type, from: 'path' }))
            : parameterType.map((type): Variable => ({ name, type, from: 'query' })),
        ),
      ),
    ),
    inObject: fc.boolean(),
    snakePath: fc.boolean(),
    envelope: fc.boolean(),
  })
  .chain((shape) => {
    const body: Variable[] = shape.body ? [{ name: 'input', type: shape.body, from: 'body' }] : [];
    const variables = [...shape.variables, ...body];
    return fc.record({
      shape: fc.constant({ ...shape, variables }),
      selection: selectionOf(shape.out),
      requests: fc.array(
        fc.record({
          values: fc.tuple(...variables.map(({ type }) => valuesOf(type))),
          wrong: fc.option(fc.tuple(fc.nat(variables.length - 1), fc.jsonValue({ maxDepth: 2 })), {
            freq: 3,
          }),
          answer: shape.out.value,
          snake: fc.boolean(),
          form: fc.nat(3),
        }),
        { minLength: 4, maxLength: 4 },
      ),
    });
  });

type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
export type Scenario = Generated<typeof scenario>;
export type Shape = Scenario['shape'];
export type RandomRequest = Scenario['requests'][number];
