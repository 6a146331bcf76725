import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { type DefinitionNode, Kind, parse, type StringValueNode } from 'graphql';
import { isStub } from '../../src/graph/composition/subgraph-document.ts';

const root = fileURLToPath(new URL('../../schema/', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.graphql'),
);

type Named = { kind: Kind; name: { value: string }; description?: StringValueNode };
type Found = { path: string; node: Named };

const below = (path: string, nodes: readonly Named[] | undefined, mark = '.'): Found[] =>
  (nodes ?? []).map((node) => ({ path: `${path}${mark}${node.name.value}`, node }));

/** The definition and all that has a name in it; of a root type, which several files share, its fields alone. */
function namesOf(definition: DefinitionNode): Found[] {
  if (!('name' in definition) || !definition.name) return [];
  const name = definition.name.value;
  const own: Found[] = /^(Query|Mutation|Subscription)$/.test(name)
    ? []
    : [{ path: name, node: definition as Named }];
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      // Another subgraph owns an entity of which this one only knows the key, and describes it.
      if (definition.kind === Kind.OBJECT_TYPE_DEFINITION && isStub(definition)) return [];
      const fields = definition.fields ?? [];
      const args = fields.flatMap((field) => below(`${name}.${field.name.value}`, field.arguments, ':'));
      return [...own, ...below(name, fields), ...args];
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return [...own, ...below(name, definition.fields)];
    case Kind.ENUM_TYPE_DEFINITION:
      return [...own, ...below(name, definition.values)];
    case Kind.DIRECTIVE_DEFINITION:
      return [...own, ...below(`@${name}`, definition.arguments, ':')];
    default:
      return own;
  }
}

/** What a mutation is given as a whole; the mutation and the type of the object describe it. */
const speaksForItself = (path: string): boolean => path.endsWith(':input');

const names = files
  .flatMap((file) => parse(readFileSync(root + file, 'utf8')).definitions)
  .flatMap(namesOf)
  .filter(({ path }) => !speaksForItself(path));

test('each type, field, argument, input member and enum value of the schema says what it means', () => {
  expect(names.length).toBeGreaterThan(1000);
  const silent = names.filter(({ node }) => !node.description?.value.trim());
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('a description says more than the name', () => {
  const letters = (text: string) => text.replace(/[^a-z]/gi, '').toLowerCase();
  const empty = names.filter(
    ({ node }) => letters(node.description?.value ?? '') === letters(node.name.value),
  );
  expect(empty.map(({ path }) => path)).toEqual([]);
});
