import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GatewayError } from '../../../src/errors/index.ts';
import { smallGraph } from '../../graph/small-graph.ts';
import { smallRest } from './small-rest.ts';

const graph = smallGraph({
  sdl: `
    type Query { thing(id: ID! @constraint(maxLength: 5), limit: Int = 20 @constraint(min: 1, max: 100)): String @authenticated }
    type Mutation { make(input: MakeInput!): UnixTime @authenticated }
    input MakeInput { name: String! @constraint(maxLength: 3), tools: [String!] @constraint(maxItems: 1), at: UnixTime }
  `,
  resolvers: {
    Query: {
      thing: (_parent, { id }) => {
        if (id === 'none') throw new GatewayError('NOT_FOUND', { message: "No thing found with id 'none'." });
        if (id === 'full') throw new GatewayError('STORE_FULL');
        return 'here';
      },
    },
    Mutation: { make: (_parent, { input }) => (input as { at?: Date }).at ?? new Date(1_767_225_600_999) },
  },
});

const documents = `
  query thing($id: ID!, $limit: Int)
  @rest(method: GET, path: "/things/{id}", on: [V1], errors: INFERENCE, yields: true, headers: { poll: "300" }) {
    thing(id: $id, limit: $limit)
  }
  mutation make($input: MakeInput!)
  @rest(method: POST, path: "/things", on: [V1], errors: INFERENCE, maxBytes: 200) { make(input: $input) }
`;

let api: Awaited<ReturnType<typeof smallRest>>;
beforeAll(async () => {
  api = await smallRest(graph, documents);
});
afterAll(() => api.close());

const error = (type: string, param: string | null, code: string | null) => ({
  error: { message: expect.any(String), type, param, code },
});
const invalid = (param: string | null, code: string | null) => error('invalid_request_error', param, code);

it('has an answer with the headers that its document names, and errors without them', async () => {
  const answer = await api.call('GET', '/v1/things/a');
  expect([answer.status, answer.body, answer.headers.get('poll')]).toEqual([200, 'here', '300']);
  const refused = await api.call('GET', '/v1/things/none');
  expect([refused.status, refused.headers.get('poll')]).toEqual([404, null]);
});

it("has errors as OpenAI's SDKs read them, with the exact code and nothing beside", async () => {
  const bodyOf = async (path: string) => (await api.call('GET', path)).body;
  expect(await bodyOf('/v1/things/none')).toEqual(invalid(null, null));
  expect(await bodyOf('/v1/things/full')).toEqual(error('server_error', null, 'store_full'));
  expect(await bodyOf('/v1/things/a?limit=0')).toEqual(invalid('limit', 'integer_below_min_value'));
  expect(await bodyOf('/v1/things/a?limit=101')).toEqual(invalid('limit', 'integer_above_max_value'));
  expect(await bodyOf('/v1/things/a?limit=x')).toEqual(invalid('limit', 'invalid_type'));
  expect(await bodyOf('/v1/things/a?more=1')).toEqual(invalid('more', 'unknown_parameter'));
  expect(await bodyOf('/v1/things/toolong')).toEqual(invalid('id', 'string_above_max_length'));
});

it('names what is wrong with a body', async () => {
  const bodyOf = async (body: unknown) => (await api.send('POST', '/v1/things', body)).body;
  expect(await bodyOf({})).toEqual(invalid('name', 'missing_required_parameter'));
  expect(await bodyOf({ name: 1 })).toEqual(invalid('name', 'invalid_type'));
  expect(await bodyOf({ name: 'long' })).toEqual(invalid('name', 'string_above_max_length'));
  expect(await bodyOf({ name: 'a', tools: ['b', 'c'] })).toEqual(invalid('tools', 'array_above_max_length'));
});

it('takes bodies of the length that its document allows, and times in whole seconds', async () => {
  expect((await api.send('POST', '/v1/things', { name: 'a' })).body).toBe(1_767_225_600);
  expect((await api.send('POST', '/v1/things', { name: 'a', at: 12 })).body).toBe(12);
  const long = await api.send('POST', '/v1/things', { name: 'x'.repeat(200) });
  expect([long.status, long.body]).toEqual([413, invalid(null, 'body_too_large')]);
});

it('is left to the provider that a request names, by whatever method', async () => {
  const asked = async (headers: Record<string, string>, method = 'GET') =>
    (await api.call(method, '/v1/things/a', { headers })).text;
  for (const headers of [
    { 'x-gateway-provider': 'openai' },
    { 'x-gateway-virtual-key': 'mine' },
    { 'x-gateway-config': 'mine' },
  ] as Record<string, string>[]) {
    expect(await asked(headers)).toBe('not mine');
    expect(await asked(headers, 'DELETE')).toBe('not mine');
  }
  expect(await asked({ 'x-gateway-provider': 'gateway', 'x-gateway-config': 'mine' })).toBe('"here"');
  expect((await api.call('DELETE', '/v1/things/a')).status).toBe(405);
});
