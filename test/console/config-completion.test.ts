import { describe, expect, it, test } from '@jest/globals';
import { knownAt } from '../../console/src/ui/editor/known.ts';
import { placeIn } from '../../console/src/ui/editor/place.ts';
import { configJsonSchema } from '../../src/routing-config/json-schema.ts';

type Json = { [name: string]: any };

const offered = (before: string): string[] =>
  knownAt(configJsonSchema, placeIn(before)).map(({ text }) => text);

describe('the place that is written at', () => {
  test.each([
    ['{', [], { name: true }, 1],
    ['{"str', [], { name: true }, 1],
    ['{ str', [], { name: true }, 2],
    ['{"strategy"', [], null, 11],
    ['{"strategy":', [], { valueOf: 'strategy' }, 12],
    ['{"strategy": {"mode": "fall', ['strategy'], { valueOf: 'mode' }, 22],
    ['{"targets": [{"provider": "@a"}, {"re', ['targets', null], { name: true }, 34],
    ['{"a": [1, ', ['a'], { valueOf: null }, 10],
    ['{"a": 1 ', [], null, 8],
    ['{"a": "x, {\\" y", "b', [], { name: true }, 18],
    ['', [], null, 0],
  ])('in %j', (before, path, expects, from) => {
    expect(placeIn(before)).toMatchObject({ path, expects, from });
  });
});

/** Each name of a member that the schema has, with the text that leads to its object. */
function membersIn(schema: Json, before: string, seen: Json[] = []): { before: string; name: string }[] {
  if (seen.includes(schema)) return [];
  const within = [...seen, schema];
  const others: Json[] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (schema.$ref) {
    const parts = schema.$ref.split('/').slice(1) as string[];
    others.push(parts.reduce((found, part) => found[part], configJsonSchema as Json));
  }
  return [
    ...Object.entries<Json>(schema.properties ?? {}).flatMap(([name, own]) => [
      { before: `${before}{`, name },
      ...membersIn(own, `${before}{${JSON.stringify(name)}: `, within),
    ]),
    ...(schema.items ? membersIn(schema.items, `${before}[`, within) : []),
    ...others.flatMap((other) => membersIn(other, before, within)),
  ];
}

it('every name of the schema of the server is offered where it can stand', () => {
  const members = membersIn(configJsonSchema as Json, '');
  expect(members.length).toBeGreaterThan(60);
  expect(members.filter(({ before, name }) => !offered(before).includes(JSON.stringify(name)))).toEqual([]);
});

it('names that are there already are not offered again, and values are those that the schema names', () => {
  expect(offered('{')).toContain('"strategy"');
  expect(offered('{"strategy": {}, ')).not.toContain('"strategy"');
  expect(offered('{"strategy": {"mode": ')).toEqual(expect.arrayContaining(['"fallback"', '"loadbalance"']));
  expect(offered('{"targets": [{"nothing": {')).toEqual([]);
});
