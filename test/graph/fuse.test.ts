import { describe, expect, it } from '@jest/globals';
import DataLoader from 'dataloader';
import { perRequest } from '../../src/subgraphs/context.ts';
import { run, smallGraph } from './small-graph.ts';

const stubWorkspace = 'type Workspace @key(fields: "id", resolvable: false) { id: ID! }';

type Batches = { workspace: string[][]; config: string[][] };

/** Three subgraphs in a chain, log -> config -> workspace, whose loaders note every batch. */
function chain(batches: Batches) {
  const loader = (kind: keyof Batches) =>
    perRequest(
      () =>
        new DataLoader<string, object>(async (ids) => {
          batches[kind].push([...ids]);
          return ids.map((id) => ({ _id: id, name: `${kind} ${id}`, workspaceId: `w-${id}` }));
        }),
    );
  const workspaceById = loader('workspace');
  const configById = loader('config');
  return smallGraph(
    {
      name: 'identity',
      sdl: 'type Workspace @key(fields: "id") { id: ID! name: String! } type Query { workspace(id: ID!): Workspace }',
      resolvers: {
        Query: { workspace: (_parent, { id }, context) => workspaceById(context).load(id) },
        Workspace: { id: (workspace) => workspace._id },
      },
      references: { Workspace: ({ id }, context) => workspaceById(context).load(id) },
    },
    {
      name: 'routing',
      sdl: `type Config @key(fields: "id") { id: ID! name: String! workspace: Workspace! }
        type Workspace @key(fields: "id") { id: ID! configNames(prefix: String!): [String!]! }`,
      resolvers: {
        Config: {
          id: (config) => config._id,
          workspace: (config) => ({ id: config.workspaceId }),
        },
        Workspace: { configNames: ({ id }, { prefix }) => [`${prefix}-${id}`] },
      },
      references: { Config: ({ id }, context) => configById(context).load(id) },
    },
    {
      name: 'insights',
      sdl: `type Log { id: ID! config: Config configs: [Config]! } ${stubWorkspace}
        type Config @key(fields: "id", resolvable: false) { id: ID! } type Query { logs(count: Int!): [Log!]! }`,
      resolvers: {
        Query: {
          logs: (_parent, { count }) => Array.from({ length: count }, (_, index) => ({ id: `l-${index}` })),
        },
        Log: {
          config: async (log) => (log.id === 'l-9' ? null : { id: `c-${log.id}` }),
          configs: (log) => [{ id: `c-${log.id}` }, null, Promise.resolve({ id: 'c-shared' })],
        },
      },
    },
  );
}

describe('the fused schema', () => {
  it('reads once per level, however many parents there are', async () => {
    const batches: Batches = { workspace: [], config: [] };
    const result = await run(
      chain(batches),
      '{ logs(count: 20) { config { name workspace { name } } configs { id workspace { id } } } }',
    );
    expect(result.errors).toBeUndefined();
    expect(batches.config.map((ids) => ids.length)).toEqual([21]);
    expect(batches.workspace.map((ids) => ids.length)).toEqual([21]);
  });

  it('follows references in lists, and leaves null alone', async () => {
    const result = await run(chain({ workspace: [], config: [] }), '{ logs(count: 1) { configs { name } } }');
    expect(result).toEqual({
      data: { logs: [{ configs: [{ name: 'config c-l-0' }, null, { name: 'config c-shared' }] }] },
    });
  });

  it("gives a field that another subgraph adds the entity's id", async () => {
    const query = '{ workspace(id: "7") { id name configNames(prefix: "a") } }';
    expect(await run(chain({ workspace: [], config: [] }), query)).toEqual({
      data: { workspace: { id: '7', name: 'workspace 7', configNames: ['a-7'] } },
    });
  });

  it('names the field that returns no reference', async () => {
    const graph = smallGraph(
      {
        name: 'a',
        sdl: 'type Query { w: W } type W @key(fields: "id", resolvable: false) { id: ID! }',
        resolvers: { Query: { w: () => ({}) } },
      },
      { name: 'b', sdl: 'type W @key(fields: "id") { id: ID! n: Int }', references: { W: () => null } },
    );
    const result = await run(graph, '{ w { n } }');
    expect(result.errors?.[0]?.message).toMatch(/Query\.w must return/);
  });
});

describe('a start that is refused', () => {
  const refusals: [string, RegExp, Parameters<typeof smallGraph>][] = [
    ['a root field without resolver', /no resolver of Query\.a/, [{ sdl: 'type Query { a: Int }' }]],
    [
      'a resolver without field',
      /resolver of Query\.b, which its SDL does not declare/,
      [{ sdl: 'type Query { a: Int }', resolvers: { Query: { a: () => 1, b: () => 2 } } }],
    ],
    [
      'an entity that nobody loads',
      /entity W, but no subgraph has a reference/,
      [
        {
          sdl: 'type Query { a: W } type W @key(fields: "id") { id: ID! }',
          resolvers: { Query: { a: () => null } },
        },
      ],
    ],
    [
      'an entity with two owners',
      /W is loaded by two subgraphs: a and b/,
      [
        {
          name: 'a',
          sdl: 'type Query { a: W } type W @key(fields: "id") { id: ID! x: Int }',
          resolvers: { Query: { a: () => null } },
          references: { W: () => null },
        },
        { name: 'b', sdl: 'type W @key(fields: "id") { id: ID! y: Int }', references: { W: () => null } },
      ],
    ],
    [
      'an added field without resolver',
      /no resolver of W\.y/,
      [
        {
          name: 'a',
          sdl: 'type Query { a: W } type W @key(fields: "id") { id: ID! x: Int }',
          resolvers: { Query: { a: () => null } },
          references: { W: () => null },
        },
        { name: 'b', sdl: 'type W @key(fields: "id") { id: ID! y: Int }' },
      ],
    ],
    [
      'what the composer refuses',
      /do not compose:\n- .*Workspace/s,
      [
        {
          name: 'a',
          sdl: 'type Query { a: Workspace } type Workspace { x: Int }',
          resolvers: { Query: { a: () => null } },
        },
        { name: 'b', sdl: 'type Workspace { x: Int }' },
      ],
    ],
    ['@override', /@override is not supported/, [{ sdl: 'type Query { a: Int @override(from: "x") }' }]],
    [
      'a composite key',
      /@key\(fields: "a b"\)/,
      [{ sdl: 'type W @key(fields: "a b") { a: ID! b: ID! } type Query { w: W }' }],
    ],
    [
      'several keys',
      /more than one @key on W/,
      [{ sdl: 'type W @key(fields: "id") @key(fields: "a") { id: ID! a: ID! } type Query { w: W }' }],
    ],
    [
      'a type declared twice',
      /A is already declared/,
      [{ sdl: 'type A { a: Int } type A { b: Int } type Query { a: A }' }],
    ],
  ];

  it.each(refusals)('names %s', (_what, message, subgraphs) => {
    expect(() => smallGraph(...subgraphs)).toThrow(message);
  });
});
