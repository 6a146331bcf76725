import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execute, parse } from 'graphql';
import { snakeCase } from '../../../rest-compat/compile/names.ts';
import { smallContext, smallGraph } from '../../graph/small-graph.ts';
import {
  queryOf,
  type RandomRequest,
  renamed,
  type Scenario,
  type Shape,
  scenario,
  spelled,
} from './random-scenario.ts';
import { smallRest } from './small-rest.ts';

/** What the one resolver gives, and what it got. */
type Resolved = { answer: unknown; received: unknown };

const isWrite = ({ variables }: Shape) => variables.some(({ from }) => from === 'body');

function graphOf(shape: Shape, resolved: Resolved) {
  const { out, variables, inObject } = shape;
  const members = variables.map(({ name, type }) => `${name}: ${type.sdl}`).join(' ');
  const root = `ask(${inObject ? 'filter: Filter!' : members}): ${out.sdl} @authenticated`;
  const definitions = new Set([...out.definitions, ...variables.flatMap(({ type }) => type.definitions)]);
  const ask = (_parent: unknown, args: unknown) => {
    resolved.received = JSON.parse(JSON.stringify(args));
    return resolved.answer;
  };
  return smallGraph({
    sdl: `enum Level { low high } input Filter { ${members} } ${[...definitions].join(' ')}
      type Query { ${isWrite(shape) ? 'other: Int @authenticated' : root} }
      ${isWrite(shape) ? `type Mutation { ${root} }` : ''}`,
    resolvers: isWrite(shape) ? { Query: { other: () => 1 }, Mutation: { ask } } : { Query: { ask } },
  });
}

function documentOf(shape: Shape, selection: string, directive: string): string {
  const passed = shape.variables.map(({ name }) => `${name}: $${name}`).join(', ');
  const declared = shape.variables.map(({ name, type }) => `$${name}: ${type.sdl}`).join(', ');
  const args = shape.inObject ? `filter: { ${passed} }` : passed;
  return `${isWrite(shape) ? 'mutation' : 'query'} ask(${declared}) ${directive} { ask(${args})${selection} }`;
}

function directiveOf(shape: Shape): string {
  const name = shape.variables[0]?.name ?? '';
  const parameter = shape.snakePath ? snakeCase(name) : name;
  const envelope = shape.envelope ? ', envelope: { success: true, data: "$" }' : '';
  return `@rest(method: ${isWrite(shape) ? 'PUT' : 'GET'}, path: "/ask/{${parameter}}", on: [V1]${envelope})`;
}

/** The values of a request; one of its body may be anything at all. */
const givenBy = ({ variables }: Shape, { values, wrong }: RandomRequest) =>
  variables.map((variable, index) => {
    const isWrong = wrong !== null && wrong[0] === index && variable.from === 'body';
    return { ...variable, isWrong, value: isWrong ? wrong[1] : values[index] };
  });

type Given = ReturnType<typeof givenBy>;

function restRequestOf(given: Given, { snake, form }: RandomRequest) {
  const query = given.flatMap(({ name, type, from, value }) =>
    from === 'query' && value !== null ? queryOf(snake ? snakeCase(name) : name, value, type, form) : [],
  );
  const body = given.find(({ from }) => from === 'body');
  const id = encodeURIComponent(String(given[0]?.value));
  return {
    path: `/v1/ask/${id}?${query.join('&')}`,
    init: body && {
      body: JSON.stringify(spelled(body.value, body.type, snake)),
      headers: { 'content-type': 'application/json' },
    },
  };
}

const variablesOf = (given: Given) =>
  Object.fromEntries(
    given
      .filter(({ value, from }) => value !== null || from === 'body')
      .map(({ name, value }) => [name, value]),
  );

const seen = { answered: 0, refused: 0 };

async function check({ shape, selection, requests }: Scenario): Promise<void> {
  const resolved: Resolved = { answer: null, received: null };
  const graph = graphOf(shape, resolved);
  const document = parse(documentOf(shape, selection.text, ''));
  const api = await smallRest(graph, documentOf(shape, selection.text, directiveOf(shape)));
  try {
    for (const request of requests) {
      const given = givenBy(shape, request);
      resolved.answer = request.answer;
      const direct = await execute({
        schema: graph.schema,
        document,
        variableValues: variablesOf(given),
        contextValue: smallContext(),
      });
      const received = resolved.received;
      resolved.received = null;
      const { path, init } = restRequestOf(given, request);
      const called = await api.call(isWrite(shape) ? 'PUT' : 'GET', path, init);
      // REST is stricter: GraphQL takes a single value for a list.
      if (called.status === 400 && given.some(({ isWrong }) => isWrong)) {
        expect(called.body).toMatchObject({ error: { code: expect.any(String) } });
        seen.refused++;
        continue;
      }
      expect([called.status, direct.errors]).toEqual([200, undefined]);
      const value = renamed(JSON.parse(JSON.stringify(direct.data?.ask ?? null)), selection.selected);
      expect(called.body).toEqual(shape.envelope ? { success: true, data: value } : value);
      expect(resolved.received).toEqual(received);
      seen.answered++;
    }
  } finally {
    await api.close();
  }
}

it('a document answers what GraphQL answers, under the names of REST', async () => {
  await fc.assert(fc.asyncProperty(scenario, check), { numRuns: 60 });
  expect(seen.answered).toBeGreaterThan(100);
  expect(seen.refused).toBeGreaterThan(0);
}, 120_000);
