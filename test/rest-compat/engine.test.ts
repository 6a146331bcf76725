import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GatewayError } from '../../src/errors/index.ts';
import { smallGraph } from '../graph/small-graph.ts';
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
  input PlainInput { firstName: String! maxTokens: Int = 5 }
  type Query {
    item(id: ID!): Item @authenticated
    itemBy(filter: ItemFilter!): Item @authenticated
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
  query required($startTime: DateTime!) @rest(method: GET, path: "/required", on: [V1]) { required(startTime: $startTime) }
  query broken @rest(method: GET, path: "/broken", on: [V1]) { broken }
  mutation createItem($input: ItemInput!) @rest(method: POST, path: "/items", on: [V1], status: 201) { createItem(input: $input) }
  mutation createPlain($input: PlainInput!) @rest(method: POST, path: "/plain", on: [V1]) { createPlain(input: $input) }
  mutation replace($itemId: ID!, $input: JSON!) @rest(method: PUT, path: "/items/{itemId}", on: [V1]) { replace(id: $itemId, input: $input) }
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
      rotate: (_parent, { id }) => ({ id }),
      deleteItem: (_parent, { id }) => id,
    },
  },
});

let api: Awaited<ReturnType<typeof smallRest>>;
beforeAll(async () => {
  api = await smallRest(graph, documents);
});
afterAll(() => api.close());

const refusal = (
  status: number,
  param: string | null,
  code: string | RegExp = expect.any(String) as never,
) => ({
  status,
  body: { error: expect.objectContaining({ param, code }) },
});

describe('answers', () => {
  it('show snake_case members, aliases verbatim, JSON untouched and times in RFC 3339', async () => {
    const answer = await api.call('GET', '/v1/items/7');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({
      id: '7',
      created_at: '2026-01-02T03:04:05.000Z',
      is_default: 1,
      settings: { camelCase: { snake_case: 1 } },
      responseTime: 1.5,
      nested: { first_name: 'Ada' },
    });
  });

  it('are wrapped as the document says, with its status', async () => {
    expect((await api.call('GET', '/v1/page')).body).toMatchObject({ success: true, data: { total: 1 } });
    expect(await api.call('DELETE', '/v1/items/7')).toMatchObject({ status: 200, text: '{}' });
    expect(await api.send('POST', '/v1/items', { first_name: 'Ada' })).toMatchObject({ status: 201 });
  });

  it("repeat the caller's request id when it is sane", async () => {
    const id = async (value: string) =>
      (await api.call('GET', '/v1/items/7', { headers: { 'x-request-id': value } })).headers.get(
        'x-request-id',
      );
    expect(await id('abc-123')).toBe('abc-123');
    expect(await id('a b<script>')).toBe('request-1');
    expect((await api.call('GET', '/v1/items/none')).headers.get('x-request-id')).toBe('request-1');
  });

  it('to HEAD have the headers of GET and no body', async () => {
    const [head, get] = [await api.call('HEAD', '/v1/items/7'), await api.call('GET', '/v1/items/7')];
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
});

describe('paths', () => {
  it('prefer static segments over parameters', async () => {
    expect((await api.call('GET', '/v1/items/version')).body).toBe('1');
    expect((await api.call('GET', '/v1/items/other')).body).toMatchObject({ id: 'other' });
  });

  it('are decoded', async () => {
    expect((await api.call('GET', '/v1/items/a%2Fb%20c')).body).toMatchObject({ id: 'a/b c' });
    expect(api.rest.match('GET', '/v1/items/%zz')).toBeNull();
  });

  it('that no document knows are left to others, as are bases that are not served', () => {
    expect(api.rest.match('GET', '/v1/chat/completions')).toBeNull();
    expect(api.rest.match('GET', '/v2/items')).toBeNull();
  });

  it('answer 405 to another method, with the methods they take', async () => {
    const answer = await api.call('PATCH', '/v1/items/7');
    expect(answer).toMatchObject(refusal(405, null));
    expect(answer.headers.get('allow')).toBe('HEAD, GET, PUT, DELETE');
    expect(answer.headers.get('x-request-id')).toBe('request-1');
    expect((await api.call('GET', '/v1/plain')).headers.get('allow')).toBe('POST');
  });
});

describe('query parameters', () => {
  const list = async (query: string) => (await api.call('GET', `/v1/items?${query}`)).body;

  it('are typed by their variables, in either spelling', async () => {
    expect(await list('page_size=5&level=high&ratio=0.5&is_new=true')).toEqual({
      pageSize: 5,
      level: 'high',
      ratio: 0.5,
      isNew: true,
    });
    expect(await list('pageSize=6')).toEqual({ pageSize: 6 });
    expect(await list('since=2026-01-01T00:00:00Z')).toMatchObject({ since: '2026-01-01T00:00:00.000Z' });
    expect(await list('where=%7B%22aB%22%3A1%7D')).toMatchObject({ where: { aB: 1 } });
  });

  it("fall back to the schema's default", async () => {
    expect(await list('')).toEqual({ pageSize: 100 });
  });

  it('carry lists by commas or by repetition', async () => {
    expect(await list('ids=a,b&ids=c')).toMatchObject({ ids: ['a', 'b', 'c'] });
    expect(await list('ids=')).toMatchObject({ ids: [] });
  });

  it.each([
    ['page_size=x', 'page_size'],
    ['page_size=1.5', 'page_size'],
    ['page_size=', 'page_size'],
    ['page_size=99999999999', 'page_size'],
    ['page_size=1&page_size=2', 'page_size'],
    ['page_size=1&pageSize=2', 'pageSize'],
    ['page_size=1001', 'page_size'],
    ['pageSize=1001', 'pageSize'],
    ['level=HIGH', 'level'],
    ['is_new=yes', 'is_new'],
    ['since=soon', 'since'],
    ['where={', 'where'],
  ])('%s is refused', async (query, param) => {
    expect(await api.call('GET', `/v1/items?${query}`)).toMatchObject(refusal(400, param, 'AB01'));
  });

  it('that are unknown or missing are named', async () => {
    expect(await api.call('GET', '/v1/items?foo=1')).toMatchObject(refusal(400, 'foo', 'unknown_parameter'));
    expect(await api.call('GET', '/v1/required')).toMatchObject(refusal(400, 'start_time', 'AB01'));
    expect((await api.call('GET', '/v1/required?start_time=2026-01-01T00:00:00Z')).status).toBe(200);
  });

  it('that are absent stay absent inside an object of the document', async () => {
    expect((await api.call('GET', '/v1/by-slug/abc?level=low')).body).toEqual({
      id: 'abc',
      settings: { slug: 'abc', level: 'low' },
    });
  });

  it('inside an object of the document are named, too', async () => {
    expect(await api.call('GET', '/v1/by-slug/1234')).toMatchObject(refusal(400, 'slug', 'AB01'));
  });
});

describe('bodies', () => {
  it('become $input, in either spelling, with JSON members untouched', async () => {
    const settings = { some_key: { otherKey: [1] } };
    const body = { first_name: 'Ada', isDefault: true, limit: { below: [{ max_tokens: 1 }] }, settings };
    expect((await api.send('POST', '/v1/items', body)).body).toEqual({
      firstName: 'Ada',
      isDefault: true,
      limit: { below: [{ maxTokens: 1 }] },
      settings,
    });
    expect((await api.send('POST', '/v1/plain', { first_name: 'Ada' })).body).toEqual({
      firstName: 'Ada',
      maxTokens: 5,
    });
  });

  it('pass whole where $input is JSON', async () => {
    for (const body of [{ a_b: { cD: 1 } }, [1, { a_b: 2 }], 'text', 0]) {
      expect((await api.send('PUT', '/v1/items/1', body)).body).toEqual(body);
    }
  });

  it.each<[object, string, string]>([
    [{}, 'first_name', 'AB01'],
    [{ first_name: null }, 'first_name', 'AB01'],
    [{ firstName: 1 }, 'firstName', 'AB01'],
    [{ first_name: 'A' }, 'first_name', 'AB01'],
    [{ firstName: 'A' }, 'firstName', 'AB01'],
    [{ first_name: 'Ada', firstName: 'Ada' }, 'firstName', 'AB01'],
    [{ first_name: 'Ada', foo: 1 }, 'foo', 'unknown_parameter'],
    [{ first_name: 'Ada', limit: { foo: 1 } }, 'limit.foo', 'unknown_parameter'],
    [{ first_name: 'Ada', limit: { below: [{}, { foo: 1 }] } }, 'limit.below[1].foo', 'unknown_parameter'],
    [{ first_name: 'Ada', limit: { below: [{}, { max_tokens: 11 }] } }, 'limit.below[1].max_tokens', 'AB01'],
    [{ first_name: 'Ada', limit: { below: [{ maxTokens: 11 }] } }, 'limit.below[0].maxTokens', 'AB01'],
    [{ first_name: 'Ada', limit: [] }, 'limit', 'AB01'],
    [{ first_name: 'Ada', tags: 'a' }, 'tags', 'AB01'],
    [{ first_name: 'Ada', tags: [1] }, 'tags[0]', 'AB01'],
    [{ first_name: 'Ada', level: 'HIGH' }, 'level', 'AB01'],
    [{ first_name: 'Ada', is_default: 1 }, 'is_default', 'AB01'],
    [{ first_name: 'Ada', ratio: '1' }, 'ratio', 'AB01'],
    [{ first_name: 'Ada', expires_at: 'soon' }, 'expires_at', 'AB01'],
    [{ first_name: 'dup' }, 'first_name', 'AB07'],
    [{ first_name: 'Ada', settings: { badKey: 1 } }, 'settings.badKey', 'AB01'],
  ])('%j is refused', async (body, param, code) => {
    const status = code === 'AB07' ? 409 : 400;
    expect(await api.send('POST', '/v1/items', body)).toMatchObject(refusal(status, param, code));
  });

  it('name the member in the message as the caller wrote it', async () => {
    const { body } = await api.send('POST', '/v1/items', { first_name: 'A', limit: { max_tokens: 11 } });
    expect(body).toMatchObject({
      error: {
        message: 'first_name must have at least 2 characters.',
        errors: ['first_name must have at least 2 characters.', 'limit.max_tokens must be at most 10.'],
      },
    });
  });

  it('must be JSON, in UTF-8, of a bounded size and depth', async () => {
    const raw = (body: RequestInit['body'], type = 'application/json', more = {}) =>
      api.call('POST', '/v1/items', { body, headers: { 'content-type': type, ...more } });
    expect(await raw('{"first_name":')).toMatchObject(refusal(400, null));
    expect(await raw(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject(refusal(400, null));
    expect(await raw('a=b', 'application/x-www-form-urlencoded')).toMatchObject(refusal(415, null));
    expect(await raw('{}', 'application/json; charset=latin1')).toMatchObject(refusal(415, null));
    expect(await raw('{}', 'application/json', { 'content-encoding': 'gzip' })).toMatchObject(
      refusal(415, null),
    );
    expect(await raw(`"${'x'.repeat(1024 * 1024)}"`)).toMatchObject(refusal(413, null));
    expect(await raw(`{"settings":${'['.repeat(100)}${']'.repeat(100)}}`)).toMatchObject(refusal(400, null));
    expect(await raw('null')).toMatchObject(refusal(400, null));
    expect(await raw('[]')).toMatchObject(refusal(400, null));
    expect(await raw('')).toMatchObject(refusal(400, null));
    expect((await raw('{"first_name":"Ada"}', 'application/json; charset=UTF-8')).status).toBe(201);
  });

  it('of unknown length are bounded as well', async () => {
    const chunk = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1', () => {
        socket.write('POST /v1/items HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
        for (let index = 0; index < 20; index++) socket.write(chunk);
      });
      socket.once('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
      socket.once('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  });

  it('may be empty where the operation takes none', async () => {
    expect((await api.call('POST', '/v1/items/1/rotate')).body).toEqual({ id: '1' });
    expect((await api.send('POST', '/v1/items/1/rotate', {})).status).toBe(200);
    expect(await api.send('POST', '/v1/items/1/rotate', { a: 1 })).toMatchObject(
      refusal(400, 'a', 'unknown_parameter'),
    );
  });
});

describe('errors', () => {
  it('have the administration envelope', async () => {
    expect(await api.call('GET', '/v1/items/none')).toMatchObject({
      status: 404,
      body: {
        error: { message: 'The item does not exist.', type: 'not_found_error', param: null, code: 'AB08' },
      },
    });
  });

  it('keep defects private and log them', async () => {
    const answer = await api.call('GET', '/v1/broken');
    expect(answer).toMatchObject(refusal(500, null, 'AB04'));
    expect(answer.text).not.toMatch(/secret/);
    expect(api.recorded.logged).toMatchObject([
      { members: { requestId: 'request-1', operation: 'small.graphql: broken' } },
    ]);
  });
});

describe('whatever a caller sends', () => {
  it('never becomes a 500', async () => {
    const paths = fc.constantFrom('/v1/items', '/v1/plain', '/v1/items/1', '/v1/items/1/rotate');
    const methods = fc.constantFrom('POST', 'PUT', 'GET', 'DELETE', 'PATCH');
    const member = fc.oneof(
      fc.constantFrom(
        'first_name',
        'firstName',
        'limit',
        'settings',
        'tags',
        'level',
        '__proto__',
        'constructor',
      ),
      fc.string(),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), fc.dictionary(member, tie('tree'), { maxKeys: 5 })),
    }));
    const bodies = fc.oneof(
      tree.map((value) => JSON.stringify(value)),
      fc.string(),
    );
    const queries = fc.array(
      fc.tuple(fc.oneof(fc.constantFrom('page_size', 'ids', 'level'), fc.string()), fc.string()),
    );
    await fc.assert(
      fc.asyncProperty(methods, paths, queries, bodies, async (method, path, query, body) => {
        const hasBody = method !== 'GET';
        const answer = await api.call(method, `${path}?${new URLSearchParams(query)}`, {
          ...(hasBody && { body, headers: { 'content-type': 'application/json' } }),
        });
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });
});
