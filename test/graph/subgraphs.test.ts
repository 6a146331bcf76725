import { describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { smallContext, smallGraph } from './small-graph.ts';

describe('a built-in subgraph alone', () => {
  it('tells a router its SDL', async () => {
    for (const { name, schema } of createGraph(readSources(subgraphs)).subgraphs) {
      const { data } = await graphql({ schema, source: '{ _service { sdl } }' });
      expect([name, data]).toEqual([name, { _service: { sdl: expect.stringContaining('@key') } }]);
    }
  });

  it('loads its entities by reference and answers those of others as their id', async () => {
    const [subgraph] = smallGraph(
      {
        name: 'a',
        sdl: `type Query { w: W } type W @key(fields: "id") { id: ID! n: Int v: V }
          type V @key(fields: "id", resolvable: false) { id: ID! }`,
        resolvers: { Query: { w: () => null }, W: { v: () => ({ id: 'v' }) } },
        references: { W: ({ id }) => ({ id, n: 3 }) },
      },
      { name: 'b', sdl: 'type V @key(fields: "id") { id: ID! m: Int }', references: { V: () => null } },
    ).subgraphs;
    const source =
      '{ _entities(representations: [{ __typename: "W", id: "1" }]) { ... on W { id n v { id } } } }';
    expect(
      subgraph && (await graphql({ schema: subgraph.schema, source, contextValue: smallContext() })),
    ).toEqual({
      data: { _entities: [{ id: '1', n: 3, v: { id: 'v' } }] },
    });
  });
});
