import { describe, expect, it, jest } from '@jest/globals';
import { printType } from 'graphql';
import { createGraph, readSources } from '../../../src/graph/index.ts';
import { join } from '../../../src/graph/remote/join.ts';
import { subgraphs } from '../../../src/subgraphs/index.ts';

// Generous: another process, or many compositions, on a machine that may be busy.
jest.setTimeout(120_000);

const graph = createGraph(readSources(subgraphs));
const nobody = () => ({ data: null });
const joinAll = (...sdl: string[]) =>
  join(
    graph,
    nobody,
    sdl.map((text, index) => ({ name: `remote-${index}`, sdl: text, execute: nobody })),
  );

const directives = [
  'key',
  'override',
  'interfaceObject',
  'provides',
  'requires',
  'external',
  'inaccessible',
  'shareable',
  'tag',
  'composeDirective',
];
const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: [${directives.map((name) => `"@${name}"`)}])`;
const query = 'type Query { a: Int }';
const extending = (fields: string, on = '@key(fields: "id")') =>
  `${link} type Workspace ${on} { id: ID! ${fields} }`;

const refusals: [string, string, RegExp][] = [
  ['is no GraphQL', 'type {', /Syntax Error/],
  ['does not compose', `${link} type Query { a: Nothing }`, /do not compose:\n- .*Nothing/s],
  ['is endless', `${link} type Query { a: Int ${'b: Int '.repeat(50_000)} }`, /tokens/],
  [
    'takes a field over by @override',
    extending('name: String! @override(from: "identity")'),
    /it uses @override/,
  ],
  ['takes a field over by declaring it', extending('name: String!'), /Non-shareable field "Workspace.name"/],
  [
    'takes a field over by sharing it',
    extending('name: String! @shareable'),
    /Non-shareable field "Workspace.name"/,
  ],
  [
    'takes a field over on its own path',
    `${extending('name: String! @external')} type Query { a: Workspace @provides(fields: "name") }`,
    /it uses @provides/,
  ],
  ['takes a root field over', `${link} type Query { workspace(id: ID!): String }`, /"Query.workspace"/],
  [
    'takes a type over',
    `${link} type WorkspacePage { total: Int! } type Query { a: WorkspacePage }`,
    /it declares WorkspacePage, which is the gateway's/,
  ],
  [
    'adds to a type that is no entity',
    `${link} extend type WorkspacePage { size: Int } ${query}`,
    /it declares WorkspacePage/,
  ],
  [
    'puts an interface in place of a type',
    `${link} interface Workspace { id: ID! } ${query}`,
    /it declares Workspace/,
  ],
  ['extends an entity without its key', `${link} type Workspace { size: Int } ${query}`, /Workspace/],
  [
    'narrows an input of ours',
    `${link} input CreateWorkspaceInput { name: String! } type Query { a(i: CreateWorkspaceInput): Int }`,
    /change the gateway's own schema: .*CreateWorkspaceInput/,
  ],
  [
    'adds to an enum of ours',
    `${link} enum WorkspaceStatus { active archived lost } type Query { a: WorkspaceStatus }`,
    /WorkspaceStatus/,
  ],
  ['hides what is ours', extending('name: String! @external @inaccessible'), /it uses @inaccessible/],
  [
    'is an interface object',
    extending('x: Int', '@interfaceObject @key(fields: "id")'),
    /it uses @interfaceObject/,
  ],
  [
    'defines a rule of ours',
    `${link} directive @access(anyOf: [String!]!) on FIELD_DEFINITION ${query}`,
    /it defines @access/,
  ],
  ['uses a rule of ours', `${link} type Query { a: Int @secret }`, /it uses @secret/],
  [
    'carries directives into the graph',
    `${link} extend schema @composeDirective(name: "@mine") directive @mine on FIELD_DEFINITION ${query}`,
    /it uses @composeDirective/,
  ],
  [
    'promises an authorisation that nobody enforces',
    `extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@requiresScopes"]) type Query { a: Int @requiresScopes(scopes: [["x"]]) }`,
    /it uses @requiresScopes/,
  ],
  [
    'renames an import',
    `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: [{name: "@override", as: "@steal"}]) type Workspace @steal(from: "x") { id: ID! }`,
    /under another name/,
  ],
  [
    'renames a specification',
    `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", as: "f") type Query { a: Int @f__override(from: "identity") }`,
    /under another name/,
  ],
  [
    'uses a long name',
    `${link} type Query { a: Int @federation__override(from: "identity") }`,
    /it uses @federation__override/,
  ],
  [
    'gives an entity of ours another key',
    extending('slug: String!', '@key(fields: "slug")'),
    /another key than "id"/,
  ],
  ['has subscriptions', `${link} ${query} type Subscription { b: Int }`, /it has subscriptions/],
  [
    'has a root type of its own name',
    `${link} schema { query: Root } type Root { a: Int }`,
    /its root type is Root/,
  ],
];

describe('a remote subgraph is refused when it', () => {
  it.each(refusals)('%s', (_what, sdl, reason) => {
    expect(() => joinAll(sdl)).toThrow(reason);
  });
});

describe('a remote subgraph that is joined', () => {
  it('has nullable fields where its outage would take our data along, and nowhere else', () => {
    const { schema } = joinAll(
      `${extending('name: String! @external size: Int! tags: [Tag!]! full: String! @requires(fields: "name")')}
       type Tag { name: String! }
       type Customer @key(fields: "id") { id: ID! name: String! }
       type Query { tags(first: Int!): [Tag!]! }
       type Mutation { tag(name: String!): Tag! }`,
      `${link} type Customer @key(fields: "id") { id: ID! age: Int! }`,
    );
    const fields = (type: string) => {
      const found = schema.getType(type);
      return found ? printType(found) : '';
    };
    expect(fields('Workspace')).toMatch(/ {2}size: Int\n {2}tags: \[Tag!\]\n {2}full: String\n/);
    expect(fields('Workspace')).toMatch(/ name: String!/);
    expect(fields('Tag')).toMatch(/name: String!/);
    expect(fields('Customer')).toMatch(/id: ID!\n {2}name: String\n {2}age: Int\n/);
    expect(fields('Query')).toContain('tags(first: Int!): [Tag!]\n');
    expect(fields('Mutation')).toContain('tag(name: String!): Tag\n');
  });

  it('may use directives of its own, tags, and be of the older federation', () => {
    const { schema, supergraphSdl } = joinAll(
      `directive @mine on FIELD_DEFINITION extend type Workspace @key(fields: "id") { id: ID! @external size: Int! @mine }
       type Query { a: Int _service: _Service! } type _Service { sdl: String }`,
      `${link} type Query { b: Int @tag(name: "public") }`,
    );
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(
      expect.arrayContaining(['a', 'b', 'workspace']),
    );
    expect(supergraphSdl).not.toMatch(/@mine|_Service/);
  });

  it('leaves what is ours as it was', () => {
    const { schema } = joinAll(extending('size: Int'));
    for (const [name, type] of Object.entries(graph.schema.getTypeMap())) {
      if (name.startsWith('__') || name === 'Workspace') continue;
      const now = schema.getType(name);
      expect(now && printType(now)).toBe(printType(type));
    }
  });
});
