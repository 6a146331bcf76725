import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execute, parse } from 'graphql';
import { snakeCase } from '../../rest-compat/names.ts';
import { smallContext, smallGraph } from '../graph/small-graph.ts';
import {
  names,
  parameterType,
  pathType,
  type RandomType,
  randomObject,
  randomType,
  valuesOf,
} from './random-rest.ts';
import { smallRest } from './small-rest.ts';

type Selected = { key: string; restKey: string; below: Selected[] };
type Variable = { name: string; type: RandomType; from: 'path' | 'query' | 'body' };

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
function renamed(value: unknown, selected: Selected[]): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, selected));
  if (selected.length === 0 || typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(
    selected.map(({ key, restKey, below }) => [restKey, renamed(members[key], below)]),
  );
}

/** A value as a caller writes it: members in snake_case or as the schema has them. */
function spelled(value: unknown, type: RandomType, snake: boolean): unknown {
  if (Array.isArray(value) && type.isList) return value.map((item) => spelled(item, type, snake));
  if (type.fields.length === 0 || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, content]) => {
      const field = type.fields.find(({ name }) => name === member);
      return [snake ? snakeCase(member) : member, field ? spelled(content, field.type, snake) : content];
    }),
  );
}

const textOf = (value: unknown, { sdl }: RandomType) =>
  sdl.includes('JSON') ? JSON.stringify(value) : String(value);

function queryOf(name: string, value: unknown, type: RandomType, form: number): string[] {
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
const scenario = fc
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

it('a document answers what GraphQL answers, under the names of REST', async () => {
  const seen = { answered: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(scenario, async ({ shape, selection, requests }) => {
      const { out, variables, inObject, snakePath, envelope } = shape;
      const members = variables.map(({ name, type }) => `${name}: ${type.sdl}`).join(' ');
      const isWrite = variables.some(({ from }) => from === 'body');
      const root = `ask(${inObject ? 'filter: Filter!' : members}): ${out.sdl} @authenticated`;
      const definitions = [
        ...new Set([...out.definitions, ...variables.flatMap(({ type }) => type.definitions)]),
      ];
      const sdl = `enum Level { low high } input Filter { ${members} } scalar Unused
        ${definitions.join('\n')}
        type Query { ${isWrite ? 'other: Int @authenticated' : root} }
        ${isWrite ? `type Mutation { ${root} }` : ''}`;
      let answer: unknown;
      let received: unknown;
      const ask = (_parent: unknown, args: unknown) => {
        received = JSON.parse(JSON.stringify(args));
        return answer;
      };
      const graph = smallGraph({
        sdl,
        resolvers: isWrite ? { Query: { other: () => 1 }, Mutation: { ask } } : { Query: { ask } },
      });
      const passed = variables.map(({ name }) => `${name}: $${name}`).join(', ');
      const declared = variables.map(({ name, type }) => `$${name}: ${type.sdl}`).join(', ');
      const [inPath] = variables;
      const spelling = snakePath ? snakeCase(inPath?.name ?? '') : inPath?.name;
      const operation = (directive: string) =>
        `${isWrite ? 'mutation' : 'query'} ask(${declared}) ${directive} {
           ask(${inObject ? `filter: { ${passed} }` : passed})${selection.text}
         }`;
      const rest = `@rest(method: ${isWrite ? 'PUT' : 'GET'}, path: "/ask/{${spelling}}", on: [V1]
        ${envelope ? ', envelope: { success: true, data: "$" }' : ''})`;
      const api = await smallRest(graph, operation(rest));
      try {
        for (const { values, wrong, snake, form, ...request } of requests) {
          answer = request.answer;
          const given = variables.map((variable, index) => {
            const isWrong = wrong?.[0] === index && variable.from === 'body';
            return { ...variable, value: isWrong ? wrong[1] : values[index] };
          });
          const variableValues = Object.fromEntries(
            given
              .filter(({ value, from }) => value !== null || from === 'body')
              .map(({ name, value }) => [name, value]),
          );
          const direct = await execute({
            schema: graph.schema,
            document: parse(operation('')),
            variableValues,
            contextValue: smallContext(),
          });
          const directly = received;
          received = undefined;
          const query = given.flatMap(({ name, type, from, value }) =>
            from === 'query' && value !== null
              ? queryOf(snake ? snakeCase(name) : name, value, type, form)
              : [],
          );
          const body = given.find(({ from }) => from === 'body');
          const id = encodeURIComponent(String(given[0]?.value));
          const called = await api.call(isWrite ? 'PUT' : 'GET', `/v1/ask/${id}?${query.join('&')}`, {
            ...(body && {
              body: JSON.stringify(spelled(body.value, body.type, snake)),
              headers: { 'content-type': 'application/json' },
            }),
          });
          const isWrong = wrong !== null && variables[wrong[0]]?.from === 'body';
          if (called.status === 400 && (isWrong || direct.errors)) {
            expect(called.body).toMatchObject({ error: { code: expect.any(String) } });
            seen.refused++;
            continue;
          }
          expect({ status: called.status, errors: direct.errors }).toEqual({
            status: 200,
            errors: undefined,
          });
          const value = renamed(JSON.parse(JSON.stringify(direct.data?.ask ?? null)), selection.selected);
          expect(called.body).toEqual(envelope ? { success: true, data: value } : value);
          expect(received).toEqual(directly);
          seen.answered++;
        }
      } finally {
        await api.close();
      }
    }),
    { numRuns: 60 },
  );
  expect(seen.answered).toBeGreaterThan(100);
  expect(seen.refused).toBeGreaterThan(0);
}, 120_000);
