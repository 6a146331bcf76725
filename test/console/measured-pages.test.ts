import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { asked, type Shown } from '../../bench/console/pages.ts';

const root = join(import.meta.dirname, '../..');
const queries = globSync('console/src/**/*.graphql', { cwd: root })
  .flatMap((file) => parse(readFileSync(join(root, file), 'utf8')).definitions)
  .filter((one): one is OperationDefinitionNode => one.kind === 'OperationDefinition')
  .filter(({ operation }) => operation === 'query');
const shown = new Proxy({} as Shown, { get: () => ({}) });
const ways = asked(new Date(), 30, shown);
const nameOf = ({ name }: OperationDefinitionNode) => name?.value ?? '';

test('the time of each query of the console can be measured', () => {
  expect(queries.length).toBeGreaterThan(50);
  expect(Object.keys(ways).sort()).toEqual(queries.map(nameOf).sort());
});

test.each(queries.map((query) => [nameOf(query), query] as const))(
  '%s is asked with all that it needs',
  (name, query) => {
    const needed = (query.variableDefinitions ?? [])
      .filter(({ type, defaultValue }) => type.kind === 'NonNullType' && !defaultValue)
      .map(({ variable }) => variable.name.value);
    const known = (query.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
    for (const { variables } of ways[name] ?? []) {
      expect(Object.keys(variables)).toEqual(expect.arrayContaining(needed));
      expect(known).toEqual(expect.arrayContaining(Object.keys(variables)));
    }
  },
);
