import { describe, expect, it, test } from '@jest/globals';
import { problemsOf, run } from '../checked.ts';

const SCHEMA = 'default.jsonSchema';
const KEYS = 'default.jsonKeys';

const schema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', pattern: '^[a-z]+$' }, size: { type: 'number', pattern: '^x' } },
};

const fenced = (json: string) => `Here you are:\n\`\`\`json\n${json}\n\`\`\`\nGood luck {friend}.`;

describe(SCHEMA, () => {
  test.each<[string, object, string, boolean]>([
    ['the whole text', { schema }, '{"id": "abc"}', true],
    ['a fenced block', { schema }, fenced('{"id": "abc"}'), true],
    ['an object within prose', { schema }, 'So {x} it is {"id": "a", "of": {"c": "}"}} then', true],
    ['the second of two', { schema }, '{"id": 1} or rather {"id": "b"}', true],
    ['a list', { schema: { type: 'array', minItems: 2 } }, '[1, 2]', true],
    ['a wrong type', { schema }, '{"id": 7}', false],
    ['one pattern among two', { schema }, '{"id": "ABC"}', false],
    ['a missing key', { schema }, fenced('{"name": "abc"}'), false],
    ['no JSON', { schema }, 'nothing here', false],
    ['no JSON, turned round', { schema, not: true }, 'nothing here', true],
    ['valid JSON, turned round', { schema, not: true }, '{"id": "abc"}', false],
    ['invalid JSON, turned round', { schema, not: true }, '{"id": 7}', true],
    [
      'the name of an older draft',
      { schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...schema } },
      '{"id":7}',
      false,
    ],
    [
      'a reference within',
      { schema: { $defs: { s: { type: 'string' } }, properties: { id: { $ref: '#/$defs/s' } } } },
      '{"id": 7}',
      false,
    ],
  ])('%s', async (_what, parameters, text, verdict) => {
    expect((await run(SCHEMA, parameters, { text })).verdict).toBe(verdict);
  });

  it('says what is wrong', async () => {
    const { data } = await run(SCHEMA, { schema }, { text: '{"id": 7}' });
    expect(data).toEqual({ not: false, validationErrors: ['/id: must be string'] });
  });

  it('cuts off a schema that explodes', async () => {
    const both = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const $defs = Object.fromEntries(
      names.map((name, index) => [name, index === 39 ? { type: 'object' } : both(`n${index + 1}`)]),
    );
    await expect(run(SCHEMA, { schema: { $defs, ...both('n0') } }, { text: '{}' })).rejects.toThrow(
      'took longer than 250 ms',
    );
  });

  it('reads many open braces in time', async () => {
    const text = `${'{"a":'.repeat(50_000)}{"id":"a"}`;
    expect((await run(SCHEMA, { schema }, { text })).verdict).toBe(false);
  });

  test.each<[string, unknown, RegExp]>([
    ['none', undefined, /^schema: /],
    ['a text', '{}', /^schema: /],
    ['an unknown type', { type: 'strnig' }, /^schema: .*type/],
    ['a reference abroad', { $ref: 'https://schemas.invalid/a' }, /^schema: can't resolve reference/],
    ['a pattern with look-around', { pattern: '(?=a)' }, /^schema: .*look-around/],
    ['too much of it', { description: 'x'.repeat(70_000) }, /^schema: .*64 kB/],
  ])('refuses %s', (_what, written, problem) => {
    expect(problemsOf(SCHEMA, { schema: written })).toEqual([expect.stringMatching(problem)]);
  });
});

describe(KEYS, () => {
  test.each<[string, object, string, boolean]>([
    ['any', { keys: ['a', 'x'] }, '{"a": 1}', true],
    ['none where any is wanted', { keys: ['y', 'x'] }, '{"a": 1}', false],
    ['all', { keys: ['a', 'b'], operator: 'all' }, 'so {"a": 1, "b": 2}', true],
    ['not all', { keys: ['a', 'b'], operator: 'all' }, '{"a": 1} {"b": 2}', false],
    ['none', { keys: ['x'], operator: 'none' }, fenced('{"a": 1}'), true],
    ['one where none is wanted', { keys: ['a'], operator: 'none' }, fenced('{"a": 1}'), false],
    ['only inherited ones', { keys: ['toString'] }, '{"a": 1}', false],
    ['no JSON', { keys: ['a'], operator: 'none' }, 'nothing here', false],
    ['no object', { keys: ['a'], operator: 'none' }, '[1]', false],
  ])('%s', async (_what, parameters, text, verdict) => {
    expect((await run(KEYS, parameters, { text })).verdict).toBe(verdict);
  });

  test.each<[object, RegExp]>([
    [{}, /^keys: /],
    [{ keys: [] }, /^keys: /],
    [{ keys: [1] }, /^keys\.0: /],
    [{ keys: ['a'], operator: 'some' }, /^operator: /],
    [{ keys: ['a'], not: true }, /^: .*not/],
  ])('refuses %j', (parameters, problem) => {
    expect(problemsOf(KEYS, parameters)).toEqual([expect.stringMatching(problem)]);
  });
});
