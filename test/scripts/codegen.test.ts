import { describe, expect, it, test } from '@jest/globals';
import type { OpenApi, Schema } from '../../rest-compat/openapi/document.ts';
import { changesBetween } from '../../scripts/codegen/changes.ts';
import { digestOf } from '../../scripts/codegen/digest.ts';

test.each([
  ['nothing', 'GET /a #1\nGET /b #2', 'GET /a #1\nGET /b #2', []],
  ['a line', 'GET /a #1\nGET /b #2', 'GET /a #1\nGET /b #3', ['- GET /b #2', '+ GET /b #3']],
  ['what is gone', 'GET /a #1\nGET /b #2', 'GET /a #1', ['- GET /b #2']],
  ['what is new', 'GET /a #1', 'GET /a #1\nGET /b #2', ['+ GET /b #2']],
  ['an order', 'GET /a #1\nGET /b #2', 'GET /b #2\nGET /a #1', ['another order']],
])('a difference is named by its line: %s', (_what, before, after, lines) => {
  expect(changesBetween(before, after)).toEqual(lines);
});

describe('the digest of the REST API', () => {
  const text: Schema = { type: 'string', minLength: 1, maxLength: 9 };
  const digest = (body: Schema, answer: Schema, description = '') =>
    digestOf({
      paths: {
        '/v1/items': {
          post: {
            operationId: 'createItem',
            summary: '',
            description,
            tags: [],
            parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', default: 1 } }],
            requestBody: { required: true, content: { 'application/json': { schema: body } } },
            responses: { 200: { description: '', content: { 'application/json': { schema: answer } } } },
            security: [],
            'x-required-scope': ['items.create'],
          },
        },
      },
      components: { schemas: { Item: answer }, responses: {}, headers: {}, parameters: {} },
    } as unknown as OpenApi);
  const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
    type: 'object',
    properties,
    required,
  });
  const before = digest(object({ name: text }, ['name']), object({ id: text }));

  it('shows in a line what an operation takes and answers', () => {
    expect(before).toMatch(
      /^POST \/v1\/items createItem \[items\.create\] \(page\?: integer = 1\) takes \{name: string\(1\.\.9\)\} answers 200 \{id\?: string\(1\.\.9\)\} #[0-9a-f]{8}$/m,
    );
  });

  it.each<[what: string, after: string, names: string[]]>([
    ['a member', digest(object({ name: text, note: text }, ['name']), object({ id: text })), ['POST']],
    [
      'a bound',
      digest(object({ name: { ...text, maxLength: 8 } }, ['name']), object({ id: text })),
      ['POST'],
    ],
    [
      'a pattern',
      digest(object({ name: { ...text, pattern: 'x' } }, ['name']), object({ id: text })),
      ['POST'],
    ],
    ['an answer', digest(object({ name: text }, ['name']), object({ id: text }, ['id'])), ['Item', 'POST']],
    ['a description', digest(object({ name: text }, ['name']), object({ id: text }), 'New.'), ['POST']],
  ])('changes with %s, in the line of its place', (_what, after, names) => {
    const changed = changesBetween(before, after).map((line) => line.split(' ')[1]);
    expect(changed).toEqual(names.flatMap((name) => [name, name]));
  });
});
