import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bySpelling, snakeCase } from '../../../rest-compat/compile/names.ts';
import { smallGraph } from '../../graph/small-graph.ts';
import { smallRest } from './small-rest.ts';

const graph = smallGraph({
  sdl: `input Filter { a: Int } input Deep { inner: Filter } input Clash { fooBar: Int foo_bar: Int }
    type Query { a(x: Int, f: Filter, d: Deep, c: Clash): Int b: Int }`,
  resolvers: { Query: { a: () => 1, b: () => 1 } },
});

describe('a document that is not valid stops the start', () => {
  it.each([
    ['query q { a }', /small\.graphql: q has no @rest/],
    ['query q @rest(method: GET, path: "/a", on: [V1]) { nope }', /small\.graphql: q: .*nope/],
    ['query q @rest(method: PATCH, path: "/a", on: [V1]) { a }', /small\.graphql: q: .*PATCH/],
    ['query q @rest(method: GET, path: "/a", on: [V1]) { a b }', /q must select exactly one root field/],
    ['query q @rest(method: GET, path: "/a/{x}", on: [V1]) { a }', /the path has \{x\}/],
    [
      'query q($f: Filter) @rest(method: GET, path: "/a/{f}", on: [V1]) { a(f: $f) }',
      /cannot carry \$f: Filter/,
    ],
    [
      'query q($d: Deep) @rest(method: GET, path: "/a", on: [V1]) { a(d: $d) }',
      /cannot carry \$inner: Filter/,
    ],
    ['query q($input: Filter) @rest(method: GET, path: "/a", on: [V1]) { a(f: $input) }', /GET has no body/],
    [
      'query q($input: Clash) @rest(method: POST, path: "/a", on: [V1]) { a(c: $input) }',
      /fooBar and foo_bar are both spelled foo_bar/,
    ],
    [
      `query q @rest(method: GET, path: "/a", on: [V1]) { a }
       query r @rest(method: GET, path: "/a", on: [V1]) { b }`,
      /r and small\.graphql: q are both mounted at GET \/v1\/a/,
    ],
    [
      `query q($x: Int) @rest(method: GET, path: "/a/{x}", on: [V1]) { a(x: $x) }
       query r($y: Int) @rest(method: GET, path: "/a/{y}", on: [V1]) { a(x: $y) }`,
      /both mounted/,
    ],
    ['fragment F on Query { a } query q @rest(method: GET, path: "/a", on: [V1]) { a }', /"F" is never used/],
    ['query q {', /Syntax Error/],
  ])('%s', async (text, message) => {
    await expect(smallRest(graph, text)).rejects.toThrow(message);
  });
});

describe('snake_case', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
  const camel = fc
    .array(word, { minLength: 1, maxLength: 5 })
    .map((words) =>
      words.map((text, index) => (index ? text[0]?.toUpperCase() + text.slice(1) : text)).join(''),
    );

  it.each([
    ['lastUpdatedAt', 'last_updated_at'],
    ['id', 'id'],
    ['lastUsedOptionJsonPath', 'last_used_option_json_path'],
    ['apiURL', 'api_url'],
    ['v2Key', 'v2_key'],
    ['already_snake', 'already_snake'],
  ])('%s is %s', (name, spelled) => {
    expect(snakeCase(name)).toBe(spelled);
  });

  it('has no capitals, and names keep their meaning in both spellings', () => {
    fc.assert(
      fc.property(fc.uniqueArray(camel, { selector: snakeCase, maxLength: 20 }), (names) => {
        const items = names.map((name) => ({ name }));
        const found = bySpelling('Input', items);
        for (const item of items) {
          expect(snakeCase(item.name)).toMatch(/^[a-z0-9_]+$/);
          expect(found.get(snakeCase(item.name))).toBe(item);
          expect(found.get(item.name)).toBe(item);
        }
      }),
    );
  });
});
