import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { bySpelling, snakeCase } from '../../rest-compat/compile/names.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { smallGraph } from '../graph/small-graph.ts';
import { smallRest } from './engine/small-rest.ts';

/** Digits have no capitals, so that an underscore before one stays. */
const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

describe('every name of the schema', () => {
  const { schema } = createGraph(readSources(subgraphs));
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const fieldsOf = types.flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
      ? [{ where: type.name, names: Object.keys(type.getFields()) }]
      : [],
  );
  const argumentsOf = types.flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).map((field) => ({
          where: `${type.name}.${field.name}`,
          names: field.args.map(({ name }) => name),
        }))
      : [],
  );

  it('has one REST spelling, which leads back to it and to no other', () => {
    let count = 0;
    for (const { where, names } of [...fieldsOf, ...argumentsOf]) {
      const found = bySpelling(
        where,
        names.map((name) => ({ name })),
      );
      for (const name of names) {
        count++;
        const spelled = snakeCase(name);
        expect(spelled).toMatch(/^_?[a-z0-9]+(_[a-z0-9]+)*$/);
        expect([where, camelCase(spelled)]).toEqual([where, name]);
        expect([where, found.get(spelled)?.name, found.get(name)?.name]).toEqual([where, name, name]);
      }
    }
    expect(count).toBeGreaterThan(200);
  });
});

describe('a name of words', () => {
  it('is the same after the way to REST and back', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{1,6}$/);
    const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
    const name = fc
      .array(word, { minLength: 1, maxLength: 6 })
      .map(([first = '', ...rest]) => first + rest.map(capital).join(''));
    fc.assert(
      fc.property(name, (camel) => {
        expect(camelCase(snakeCase(camel))).toBe(camel);
        expect(snakeCase(snakeCase(camel))).toBe(snakeCase(camel));
      }),
    );
  });
});

describe('JSON scalars', () => {
  let received: unknown;
  const sdl = `
    input Holder { someValue: JSON manyValues: [JSON] below: Holder }
    type Shown { someValue: JSON manyValues: [JSON] below: Shown }
    type Query { ask(someValue: JSON): JSON @authenticated }
    type Mutation {
      hold(input: Holder!): Shown @authenticated
      take(input: JSON): JSON @authenticated
    }`;
  const take = (value: unknown) => {
    received = value;
    return value;
  };
  const graph = smallGraph({
    sdl,
    resolvers: {
      Query: { ask: (_parent, { someValue }) => take(someValue) },
      Mutation: {
        hold: (_parent, { input }) => take(input),
        take: (_parent, { input }) => take(input),
      },
    },
  });
  const documents = `
    query ask($someValue: JSON) @rest(method: GET, path: "/ask", on: [V1]) { ask(someValue: $someValue) }
    mutation take($input: JSON) @rest(method: PUT, path: "/take", on: [V1]) { take(input: $input) }
    mutation hold($input: Holder!) @rest(method: POST, path: "/hold", on: [V1]) {
      hold(input: $input) { someValue manyValues below { someValue manyValues } }
    }`;

  let api: Awaited<ReturnType<typeof smallRest>>;
  beforeAll(async () => {
    api = await smallRest(graph, documents);
  });
  afterAll(() => api.close());

  const hostile = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'toJSON',
    'then',
    'someValue',
    'some_value',
    'below',
    '$where',
    'a.b',
    '',
    '0',
    '__typename',
  );
  const name = fc.oneof(
    hostile,
    fc.string().filter((text) => text !== '_bsontype' && !text.includes('\0')),
  );
  const leaf = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, 0, 2 ** 53),
  );
  // As text: an object literal could not have a member of its own that is called __proto__.
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      leaf.map((value) => JSON.stringify(value)),
      fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(name, tie('json')), { maxLength: 4, selector: ([key]) => key })
        .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
    ),
  }));
  const same = (text: string) => JSON.stringify(JSON.parse(text));
  const send = (method: string, path: string, body: string) =>
    api.call(method, path, { body, headers: { 'content-type': 'application/json' } });

  it('reach the resolver, and the caller again, as they were', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (text) => {
        const whole = await send('PUT', '/v1/take', text);
        expect([whole.status, JSON.stringify(received)]).toEqual([200, same(text)]);
        expect(whole.text).toBe(same(text));
        const asked = await api.call('GET', `/v1/ask?some_value=${encodeURIComponent(text)}`);
        expect([asked.status, asked.text, JSON.stringify(received)]).toEqual([200, same(text), same(text)]);
      }),
    );
  }, 120_000);

  it('are left alone inside of members that are renamed', async () => {
    await fc.assert(
      fc.asyncProperty(json, json, fc.boolean(), async (one, two, snake) => {
        const [value, values] = snake ? ['some_value', 'many_values'] : ['someValue', 'manyValues'];
        const body = `{"${value}":${one},"below":{"${values}":[${two},${one}],"${value}":${two}}}`;
        const answer = await send('POST', '/v1/hold', body);
        expect(answer.status).toBe(200);
        expect(JSON.stringify(received)).toBe(
          same(`{"someValue":${one},"below":{"someValue":${two},"manyValues":[${two},${one}]}}`),
        );
        expect(answer.body).toEqual(
          JSON.parse(
            `{"some_value":${one},"many_values":null,"below":{"some_value":${two},"many_values":[${two},${one}]}}`,
          ),
        );
        expect(answer.text).toContain(same(one));
      }),
    );
  }, 120_000);
});
