import { describe, expect, it } from '@jest/globals';
import type { OpenApi, OpenApiOperation, Schema } from '../../rest-compat/openapi/document.ts';
import { compareDescriptions } from '../../scripts/schema-diff/description.ts';

type Parts = { query?: Schema; body?: Schema; answer?: Schema; status?: number; scope?: string[] | null };

const text: Schema = { type: 'string' };
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  required,
  properties,
});

/** A description of one operation; its body and its answer are components, as in the real one. */
function description(parts: Parts | null): string {
  const {
    query = object({}),
    body = object({}),
    answer = object({}),
    status = 200,
    scope = ['a.read'],
  } = parts ?? {};
  const operation: OpenApiOperation = {
    operationId: 'createItem',
    tags: [],
    summary: '',
    description: '',
    parameters: Object.entries(query.properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      schema,
      required: query.required?.includes(name) ?? false,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Body' } } },
    },
    responses: {
      [status]: {
        description: '',
        content: { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Answer' }] } } },
      },
      400: { $ref: '#/components/responses/BadRequest' },
    },
    security: [],
    ...(scope && { 'x-required-scope': scope }),
  };
  const document: Pick<OpenApi, 'paths'> & { components: object } = {
    paths: parts === null ? {} : { '/v1/items': { post: operation } },
    components: { schemas: { Body: body, Answer: answer } },
  };
  return JSON.stringify(document);
}

const changes = (before: Parts, after: Parts | null) =>
  compareDescriptions(description(before), description(after));

describe('a change of the REST description', () => {
  it.each<[what: string, Parts, Parts | null, string]>([
    ['an operation is gone', {}, null, 'POST /v1/items is gone.'],
    ['the status moves', {}, { status: 201 }, 'POST /v1/items does not answer 200 any more.'],
    ['a scope is needed', { scope: null }, {}, 'POST /v1/items needs the scope a.read.'],
    [
      'a scope will not do any more',
      { scope: ['a.read', 'b.read'] },
      { scope: ['a.read'] },
      'POST /v1/items needs the scope a.read; b.read will not do any more.',
    ],
    ['a parameter is gone', { query: object({ page: text }) }, {}, 'POST /v1/items parameter.page is gone.'],
    [
      'a parameter becomes required',
      { query: object({ page: text }) },
      { query: object({ page: text }, ['page']) },
      'POST /v1/items parameter.page is required now.',
    ],
    [
      'a new member is required',
      {},
      { body: object({ name: text }, ['name']) },
      'POST /v1/items body.name is required now.',
    ],
    [
      'a member changes its type',
      { body: object({ a: { type: 'array', items: text } }) },
      { body: object({ a: { type: 'array', items: { type: 'integer' } } }) },
      'POST /v1/items body.a[] was string and is integer.',
    ],
    [
      'a bound gets tighter',
      { body: object({ a: { type: 'string', maxLength: 10 } }) },
      { body: object({ a: { type: 'string', maxLength: 9 } }) },
      'POST /v1/items body.a has maxLength 9 (it had 10).',
    ],
    [
      'a value is refused',
      { body: object({ a: { type: 'string', enum: ['x', 'y'] } }) },
      { body: object({ a: { type: 'string', enum: ['x'] } }) },
      'POST /v1/items body.a has no value y any more.',
    ],
    ['an answer loses a member', { answer: object({ a: text }) }, {}, 'POST /v1/items answer.a is gone.'],
    [
      'an answer may be null',
      { answer: object({ a: text }) },
      { answer: object({ a: { type: 'string', nullable: true } }) },
      'POST /v1/items answer.a may be null.',
    ],
  ])('breaks callers when %s', (_what, before, after, sentence) => {
    expect(changes(before, after).breaking).toEqual([sentence]);
  });

  it.each<[what: string, Parts, Parts]>([
    ['an optional member', {}, { body: object({ a: text }) }],
    ['a member of an answer', {}, { answer: object({ a: text }, ['a']) }],
    [
      'a looser bound',
      { body: object({ a: { type: 'string', maxLength: 9 } }) },
      { body: object({ a: { type: 'string', maxLength: 10 } }) },
    ],
    ['another scope that will do', {}, { scope: ['a.read', 'b.read'] }],
  ])('breaks nobody with %s', (_what, before, after) => {
    expect(changes(before, after)).toEqual({ breaking: [], dangerous: [] });
  });

  it('may surprise with a new value in answers and with another default', () => {
    const before = {
      query: object({ size: { type: 'integer', default: 10 } }),
      answer: object({ a: { type: 'string', enum: ['x'] } }),
    } satisfies Parts;
    const after = {
      query: object({ size: { type: 'integer', default: 20 } }),
      answer: object({ a: { type: 'string', enum: ['x', 'y'] } }),
    } satisfies Parts;
    expect(changes(before, after)).toEqual({
      breaking: [],
      dangerous: [
        'POST /v1/items parameter.size is 20 when it is absent (it was 10).',
        'POST /v1/items answer.a may be y as well.',
      ],
    });
  });

  it('breaks nobody when a scope is needed no more', () => {
    expect(changes({}, { scope: null })).toEqual({ breaking: [], dangerous: [] });
  });
});
