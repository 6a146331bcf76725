import { expect } from '@jest/globals';
import { GatewayError } from '../../../src/errors/index.ts';
import { smallGraph } from '../../graph/small-graph.ts';
import { smallRest } from './small-rest.ts';

const sdl = `
  enum Level { low high }
  type Item { id: ID! createdAt: DateTime! isDefault: Int! settings: JSON responseTime: Float nested: Nested }
  type Nested { firstName: String! }
  type Page { total: Int! data: [Item!]! }
  input Limit { maxTokens: Int @constraint(max: 10) below: [Limit!] }
  input ItemInput {
    firstName: String! @constraint(minLength: 2)
    isDefault: Boolean
    level: Level
    ratio: Float
    expiresAt: DateTime
    tags: [String!]
    limit: Limit
    settings: JSON
  }
  input RenameInput { firstName: String! }
  input PlainInput { firstName: String! maxTokens: Int = 5 }
  type Query {
    item(id: ID!): Item @authenticated
    itemBy(filter: ItemFilter!): Item @authenticated
    itemsBy(filter: ItemFilter!, ratio: Float): JSON @authenticated
    items(pageSize: Int! = 100 @constraint(max: 1000), level: Level, ids: [ID!], ratio: Float, isNew: Boolean, since: DateTime, where: JSON): JSON @authenticated
    required(startTime: DateTime!): String @authenticated
    page: Page! @authenticated
    version: String! @authenticated
    broken: String @authenticated
  }
  input ItemFilter { slug: ID! @constraint(maxLength: 3) name: String level: Level }
  type Mutation {
    createItem(input: ItemInput!): JSON @authenticated
    createPlain(input: PlainInput!): JSON @authenticated
    replace(id: ID!, input: JSON!): JSON @authenticated
    rename(slug: ID!, input: RenameInput!): JSON @authenticated
    limit(maxTokens: ID!, input: Limit!): JSON @authenticated
    rotate(id: ID!): JSON @authenticated
    deleteItem(id: ID!): ID! @authenticated
  }`;

const documents = `
  fragment Item on Item { id createdAt isDefault settings responseTime: responseTime nested { firstName } }
  query listItems($pageSize: Int, $level: Level, $ids: [ID!], $ratio: Float, $isNew: Boolean, $since: DateTime, $where: JSON)
    @rest(method: GET, path: "/items", on: [V1, V2]) {
    items(pageSize: $pageSize, level: $level, ids: $ids, ratio: $ratio, isNew: $isNew, since: $since, where: $where)
  }
  query getItem($itemId: ID!) @rest(method: GET, path: "/items/{itemId}", on: [V1]) { item(id: $itemId) { ...Item } }
  query version @rest(method: GET, path: "/items/version", on: [V1]) { version }
  query page @rest(method: GET, path: "/page", on: [V1], envelope: { success: true, data: "$" }) { page { total data { ...Item } } }
  query bySlug($slug: ID!, $name: String, $level: Level) @rest(method: GET, path: "/by-slug/{slug}", on: [V1]) { itemBy(filter: { slug: $slug, name: $name, level: $level }) { id settings } }
  query spread($filter: ItemFilter!, $ratio: Float) @rest(method: GET, path: "/spread", on: [V1]) { itemsBy(filter: $filter, ratio: $ratio) }
  query required($startTime: DateTime!) @rest(method: GET, path: "/required", on: [V1]) { required(startTime: $startTime) }
  query broken @rest(method: GET, path: "/broken", on: [V1]) { broken }
  mutation createItem($input: ItemInput!) @rest(method: POST, path: "/items", on: [V1], status: 201) { createItem(input: $input) }
  mutation createRound($input: PlainInput!) @rest(method: POST, path: "/kinds/big/round", on: [V1], repeats: "/kinds/{size}/{sub-type}") { createPlain(input: $input) }
  mutation createPlain($input: PlainInput!) @rest(method: POST, path: "/plain", on: [V1]) { createPlain(input: $input) }
  mutation replace($itemId: ID!, $input: JSON!) @rest(method: PUT, path: "/items/{itemId}", on: [V1]) { replace(id: $itemId, input: $input) }
  mutation rename($itemSlug: ID!, $input: RenameInput!) @rest(method: PUT, path: "/names/{itemSlug}", on: [V1]) { rename(slug: $itemSlug, input: $input) }
  mutation limit($maxTokens: ID!, $input: Limit!) @rest(method: PUT, path: "/limits/{maxTokens}", on: [V1]) { limit(maxTokens: $maxTokens, input: $input) }
  mutation rotate($itemId: ID!) @rest(method: POST, path: "/items/{itemId}/rotate", on: [V1]) { rotate(id: $itemId) }
  mutation deleteItem($itemId: ID!) @rest(method: DELETE, path: "/items/{itemId}", on: [V1], envelope: {}) { deleteItem(id: $itemId) }
`;

const item = (id: string) => ({
  id,
  createdAt: new Date('2026-01-02T03:04:05Z'),
  isDefault: 1,
  settings: { camelCase: { snake_case: 1 } },
  responseTime: 1.5,
  nested: { firstName: 'Ada' },
});

const graph = smallGraph({
  sdl,
  resolvers: {
    Query: {
      item: async (_parent, { id }) => {
        if (id === 'none') throw new GatewayError('NOT_FOUND', { message: 'The item does not exist.' });
        return item(id);
      },
      itemBy: (_parent, { filter }) => ({ ...item(filter.slug), settings: filter }),
      itemsBy: (_parent, args) => args,
      items: (_parent, args) => args,
      required: (_parent, { startTime }) => startTime.toISOString(),
      page: () => ({ total: 1, data: [item('1')] }),
      version: () => '1',
      broken: () => {
        throw new Error('mongodb://user:secret@db');
      },
    },
    Mutation: {
      createItem: (_parent, { input }) => {
        if (input.firstName === 'dup') throw new GatewayError('ALREADY_EXISTS', { param: 'firstName' });
        if (input.settings?.badKey) {
          throw new GatewayError('VALIDATION_FAILED', { param: 'input.settings.badKey', message: 'No.' });
        }
        return input;
      },
      createPlain: (_parent, { input }) => input,
      replace: (_parent, { input }) => input,
      rename: (_parent, { input }) => input,
      limit: (_parent, { input }) => input,
      rotate: (_parent, { id }) => ({ id }),
      deleteItem: (_parent, { id }) => id,
    },
  },
});

/** A REST API over items in memory, with one operation for each thing that the engine does. */
export const itemRest = () => smallRest(graph, documents);

export const refusal = (
  status: number,
  param: string | null,
  code: string | RegExp = expect.any(String) as never,
) => ({
  status,
  body: { error: expect.objectContaining({ param, code }) },
});
