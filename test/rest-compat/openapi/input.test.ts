import { expect, test } from '@jest/globals';
import { readOperations } from '../../../rest-compat/compile/operation.ts';
import { describeRest } from '../../../rest-compat/index.ts';
import { smallGraph, somebody } from '../../graph/small-graph.ts';

const { schema } = smallGraph({
  sdl: `
    type Query { site: ID @access(anyOf: ["configs.read"]) }
    type Mutation { createSite(input: SiteInput!): ID @access(anyOf: ["configs.create"]) }
    input SiteInput {
      kind: String! @constraint(pattern: "^(staging|non-production)$")
      pattern: String! @constraint(pattern: "^(a|b)+$")
      url: String! @constraint(format: URI, maxLength: 100)
      contact: String! @constraint(format: EMAIL)
    }
  `,
  resolvers: { Query: { site: () => '1' }, Mutation: { createSite: () => '1' } },
});
const text = `mutation createSite($input: SiteInput!) @rest(method: POST, path: "/sites", on: [V1]) {
  createSite(input: $input)
}`;
const served = { V1: { prefix: '/v1', authenticate: async () => somebody() } };
const { components, paths } = describeRest(
  schema,
  { operations: readOperations(schema, [{ path: 'site.graphql', text }]), handwritten: [] },
  served,
);

test('a pattern that lists words is described as an enum, any other as it is', () => {
  expect(components.schemas.SiteInput?.properties).toMatchObject({
    kind: { type: 'string', enum: ['staging', 'non-production'] },
    pattern: { type: 'string', pattern: '^(a|b)+$' },
    url: { format: 'uri', maxLength: 100 },
  });
  expect(components.schemas.SiteInput?.properties?.kind).not.toHaveProperty('pattern');
});

test('an example has values of the formats that are asked for', () => {
  const body = paths['/v1/sites']?.post?.requestBody?.content['application/json'];
  expect(body?.example).toMatchObject({
    kind: 'staging',
    url: expect.stringMatching(/^https:\/\//),
    contact: expect.stringMatching(/^\S+@\S+\.\S+$/),
  });
});
