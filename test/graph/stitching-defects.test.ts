import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ExecutionResult, execute, type GraphQLSchema, parse } from 'graphql';
import { GatewayError } from '../../src/errors/index.ts';
import { causeOf } from '../../src/graph/index.ts';
import { localExecutor } from '../../src/graph/remote/stitch/local-executor.ts';
import { stitchedSchema } from '../../src/graph/remote/stitch/stitched-schema.ts';
import { smallContext, smallGraph } from './small-graph.ts';

// Remote subgraphs are stitched to the built-in ones as a whole. Stitching these one by one is what any router does with
// subgraphs that stand alone; what it cannot know there is listed here, and is why the built-in ones are fused first.

const graph = smallGraph(
  {
    name: 'identity',
    sdl: `type Workspace @key(fields: "id") { id: ID! name: String! note: String failing: Int }
      type Query { workspaces: [Workspace!]! shorter(text: String @constraint(maxLength: 3)): String }`,
    resolvers: {
      Query: { workspaces: () => [{ id: 'w-1' }, { id: 'w-2' }], shorter: (_parent, { text }) => text },
      Workspace: {
        name: ({ id }) => `Workspace ${id}`,
        failing: ({ id }) => {
          if (id === 'w-2') throw new GatewayError('IN_USE', { param: 'id' });
          return 1;
        },
      },
    },
    references: {
      Workspace: async ({ id }) => {
        if (id === 'w-refused') throw new GatewayError('FORBIDDEN');
        return id === 'w-gone' ? null : { id };
      },
    },
  },
  {
    name: 'routing',
    sdl: `type Config { id: ID! workspace: Workspace } type Workspace @key(fields: "id", resolvable: false) { id: ID! }
      type Query { configs(workspaces: [ID!]!): [Config!]! }`,
    resolvers: {
      Query: {
        configs: (_parent, { workspaces }) =>
          workspaces.map((id: string) => ({ id: `c-${id}`, workspace: { id } })),
      },
    },
  },
);

const oneByOne = stitchedSchema(
  graph.documents.map((subgraph, index) => {
    const schema = graph.subgraphs[index]?.schema;
    if (!schema) throw new Error(`${subgraph.name} has no schema.`);
    return { ...subgraph, execute: localExecutor(schema) };
  }),
);

let context: ReturnType<typeof smallContext>;
beforeEach(() => {
  context = smallContext();
});

async function answer(schema: GraphQLSchema, text: string) {
  const { data, errors = [] }: ExecutionResult = await execute({
    schema,
    document: parse(text),
    contextValue: { ...context, memo: new Map() },
  });
  return {
    data: JSON.parse(JSON.stringify(data)),
    errors: errors.map((error) => {
      const { code, param } = causeOf(error);
      return { path: error.path?.join('.'), code, param };
    }),
  };
}

const configs = (id: string, selection: string) =>
  `{ configs(workspaces: ["w-1", "${id}"]) { workspace ${selection} } }`;

describe('subgraphs stitched one by one', () => {
  it.each([
    '{ configs(workspaces: ["w-1", "w-2"]) { id workspace { id name failing } } }',
    '{ configs(workspaces: ["w-2"]) { workspace { a: failing b: failing } } }',
    '{ workspaces { name failing } }',
    '{ shorter(text: "long") workspaces { id } }',
    configs('w-gone', '{ id }').replace('w-gone', 'w-2'),
  ])('answer as the fused ones do: %s', async (text) => {
    expect(await answer(oneByOne, text)).toEqual(await answer(graph.schema, text));
  });

  const defects: [string, string, object, object][] = [
    [
      'an entity that may not be loaded stays as its id, and each of its fields has the error',
      configs('w-refused', '{ id note }'),
      { data: { id: 'w-refused', note: null }, errors: ['workspace.note'] },
      { data: null, errors: ['workspace'] },
    ],
    [
      'an entity that may not be loaded has its error at the first field that must not be null',
      configs('w-refused', '{ name }'),
      { data: null, errors: ['workspace.name'] },
      { data: null, errors: ['workspace'] },
    ],
    [
      'an entity that is gone stays as its id',
      configs('w-gone', '{ id note }'),
      { data: { id: 'w-gone', note: null }, errors: [] },
      { data: null, errors: [] },
    ],
    [
      'an entity that is gone becomes a defect where a field must not be null',
      configs('w-gone', '{ name }'),
      { data: null, errors: ['workspace.name'] },
      { data: null, errors: [] },
    ],
    [
      'what is only asked for by its key is not looked up at all',
      configs('w-gone', '{ id }'),
      { data: { id: 'w-gone' }, errors: [] },
      { data: null, errors: [] },
    ],
  ];

  it.each(defects)('differ: %s', async (_reason, text, stitched, fused) => {
    const second = async (schema: GraphQLSchema) => {
      const { data, errors } = await answer(schema, text);
      return {
        data: data.configs[1].workspace,
        errors: errors.map(({ path }) => path?.replace('configs.1.', '')),
      };
    };
    expect(await second(oneByOne)).toEqual(stitched);
    expect(await second(graph.schema)).toEqual(fused);
  });
});
