import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chatAnswer, json } from '../support/provider.ts';
import { type CallOptions, created, messages, STORED_KEY, startWorld, type World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const chat = async (options: CallOptions) => {
  world.provider.play(json(200, chatAnswer('hello')));
  return world.call({ key: null, ...options });
};

const makeKey = (input: object) =>
  created(world.app, '/v1/api-keys/workspace/service', { name: 'tests', ...input }) as Promise<{
    id: string;
    key: string;
  }>;

const paths = [
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/models',
  '/v1/rerank',
  '/v1/proxy/chat/completions',
];

type Refused = { status: number; type: string; code: string; headers: () => Promise<Record<string, string>> };

const refusals: [string, Refused][] = [
  ['no key', refused(401, async () => ({}))],
  ['an empty key', refused(401, async () => ({ 'x-gateway-api-key': ' ' }))],
  ['an unknown key', refused(401, async () => ({ 'x-gateway-api-key': 'sl-nobody' }))],
  ['an unknown bearer', refused(401, async () => ({ authorization: 'Bearer sl-nobody' }))],
  ['an unknown key in x-api-key', refused(401, async () => ({ 'x-api-key': `sl-${'n'.repeat(43)}` }))],
  ['a provider’s key in x-api-key', refused(401, async () => ({ 'x-api-key': STORED_KEY }))],
  ['an organisation key in x-api-key', refused(403, async () => ({ 'x-api-key': world.app.adminKey }))],
  [
    'a good x-api-key behind an unknown key',
    refused(401, async () => ({ 'x-gateway-api-key': 'sl-nobody', 'x-api-key': world.app.workspaceKey })),
  ],
  [
    'a key as basic authorization',
    refused(401, async () => ({ authorization: `Basic ${world.app.workspaceKey}` })),
  ],
  ['a bare authorization', refused(401, async () => ({ authorization: world.app.workspaceKey }))],
  ['a key of unreasonable length', refused(401, async () => ({ 'x-gateway-api-key': 'x'.repeat(5000) }))],
  [
    'a good bearer behind an unknown key',
    refused(401, async () => ({
      'x-gateway-api-key': 'sl-nobody',
      authorization: `Bearer ${world.app.workspaceKey}`,
    })),
  ],
  [
    'an expired key',
    refused(401, async () => {
      const { id, key } = await makeKey({ scopes: ['completions.write'] });
      await world.app.db
        .collection<{ _id: string }>('api_keys')
        .updateOne({ _id: id }, { $set: { expiresAt: new Date(Date.now() - 1000) } });
      return { 'x-gateway-api-key': key };
    }),
  ],
  ['an organisation key', refused(403, async () => ({ 'x-gateway-api-key': world.app.adminKey }))],
  [
    'a JWT where no issuer is configured',
    refused(403, async () => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = { iss: 'https://id.example.com/', exp: 4_000_000_000 };
      const token = [part({ alg: 'RS256', typ: 'JWT', kid: 'a' }), part(claims), 'c2lnbmF0dXJl'].join('.');
      return { 'x-gateway-api-key': token };
    }),
  ],
  [
    'a key without the scope',
    refused(403, async () => {
      const { key } = await makeKey({ scopes: ['logs.list'] });
      return { 'x-gateway-api-key': key };
    }),
  ],
];

function refused(status: number, headers: Refused['headers']): Refused {
  return status === 401
    ? { status, type: 'authentication_error', code: 'invalid_api_key', headers }
    : { status, type: 'permission_error', code: 'forbidden', headers };
}

test.each(refusals)(
  '%s is refused on every path, in the shape that OpenAI clients read',
  async (_name, expected) => {
    const headers = await expected.headers();
    for (const path of paths) {
      const method = path === '/v1/models' ? 'GET' : 'POST';
      const answer = await chat({
        path,
        method,
        headers: { 'x-gateway-provider': `@${world.slug}`, ...headers },
      });
      expect([path, answer.status]).toEqual([path, expected.status]);
      expect(answer.json.error).toEqual({
        message: expect.any(String),
        type: expected.type,
        param: null,
        code: expected.code,
      });
      expect(answer.headers['content-type']).toBe('application/json');
      expect(world.provider.requests).toHaveLength(0);
    }
  },
);

test.each([
  ['x-gateway-api-key', (key: string) => ({ 'x-gateway-api-key': key })],
  ['a bearer', (key: string) => ({ authorization: `Bearer ${key}` })],
  ['a bearer in another case', (key: string) => ({ authorization: `bearer  ${key} ` })],
  ['x-api-key', (key: string) => ({ 'x-api-key': ` ${key} ` })],
  ['x-api-key beside another bearer', (key: string) => ({ 'x-api-key': key, authorization: 'Bearer none' })],
  [
    'x-api-key beside basic authorization',
    (key: string) => ({ 'x-api-key': key, authorization: 'Basic YTpi' }),
  ],
])('a key as %s is taken', async (_name, headersOf) => {
  const answer = await chat({ headers: headersOf(world.app.workspaceKey) });
  expect([answer.status, answer.json.choices[0].message.content]).toEqual([200, 'hello']);
});

test('no key at all: the refusal names the three places for one', async () => {
  for (const headers of [{}, { 'x-api-key': STORED_KEY }] as Record<string, string>[]) {
    const { message } = (await chat({ headers })).json.error;
    expect(message).toBe(
      'No API key of the gateway given: send it as x-gateway-api-key, Authorization: Bearer or x-api-key.',
    );
  }
});

test('a key in x-api-key administers too, in REST and in the graph', async () => {
  const headers = { 'x-api-key': world.app.adminKey };
  const workspaces = await world.app.rest('GET', '/v1/admin/workspaces', { key: null, headers });
  expect(workspaces.status).toBe(200);
  const body = { query: '{ workspaces { data { id } } }' };
  const graph = await world.app.rest('POST', '/graphql', { key: null, headers, body });
  expect(graph.body).toMatchObject({ data: { workspaces: { data: [{ id: world.app.workspaceId }] } } });
});

describe('of a gateway key and a provider’s key', () => {
  const provider = 'sk-of-the-caller-0123456789';
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const apiKey = (key: string) => ({ 'x-api-key': key });

  type Sent = { authorization?: string; 'x-api-key'?: string };
  const given: [string, (own: string) => Record<string, string>, { anthropic: Sent; passing: Sent }][] = [
    [
      'x-gateway-api-key and x-api-key',
      (own) => ({ 'x-gateway-api-key': own, ...apiKey(provider) }),
      { anthropic: apiKey(provider), passing: apiKey(provider) },
    ],
    [
      'a bearer and x-api-key',
      (own) => ({ ...bearer(own), ...apiKey(provider) }),
      { anthropic: apiKey(provider), passing: apiKey(provider) },
    ],
    [
      'x-api-key and a bearer',
      (own) => ({ ...apiKey(own), ...bearer(provider) }),
      // The provider takes its key in this place.
      { anthropic: apiKey(provider), passing: apiKey(provider) },
    ],
    [
      'the same gateway key in all places',
      (own) => ({ 'x-gateway-api-key': own, ...apiKey(own), ...bearer(own) }),
      { anthropic: {}, passing: {} },
    ],
    ['x-api-key alone', (own) => apiKey(own), { anthropic: {}, passing: {} }],
  ];

  test.each(given)('%s: only the provider’s goes to it', async (_name, headersOf, expected) => {
    for (const [path, sent] of [
      ['/v1/messages', expected.anthropic],
      ['/v1/messages/count_tokens', expected.anthropic],
      ['/v1/proxy/messages', expected.passing],
      ['/v1/something/else', expected.passing],
    ] as const) {
      world.provider.play(json(200, {}));
      const answer = await world.call({
        path,
        key: null,
        headers: {
          'x-gateway-provider': 'anthropic',
          'x-gateway-custom-host': `${world.provider.url}/v1`,
          ...headersOf(world.app.workspaceKey),
        },
        body: { model: 'claude-sonnet-4-5', max_tokens: 5, messages },
      });
      const { headers } = world.provider.requests.at(-1) as { headers: Record<string, string> };
      const { authorization, 'x-api-key': key } = headers;
      expect([path, answer.status, { authorization, 'x-api-key': key }]).toEqual([
        path,
        200,
        { authorization: undefined, 'x-api-key': undefined, ...sent },
      ]);
      expect(JSON.stringify(world.provider.requests)).not.toContain(world.app.workspaceKey);
    }
  });

  test('x-api-key and a bearer, for a provider that takes a bearer', async () => {
    await chat({
      path: '/v1/proxy/chat/completions',
      headers: {
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': `${world.provider.url}/v1`,
        ...apiKey(world.app.workspaceKey),
        ...bearer(provider),
      },
      body: { model: 'gpt-4o', messages },
    });
    const { headers } = world.provider.requests.at(-1) as { headers: Record<string, string> };
    expect([headers.authorization, headers['x-api-key']]).toEqual([`Bearer ${provider}`, undefined]);
  });
});

test.each([
  ['completions.write', [200, 200, 200]],
  ['models.list', [403, 200, 403]],
  ['virtual_keys.list', [403, 200, 403]],
])('the scope %s opens chat, models and the proxy: %j', async (scope, statuses) => {
  const { key } = await makeKey({ scopes: [scope] });
  const calls: CallOptions[] = [
    {},
    { method: 'GET', path: '/v1/models' },
    { path: '/v1/rerank', headers: { 'x-gateway-provider': `@${world.slug}` } },
  ];
  const answers = [];
  for (const call of calls) answers.push((await chat({ ...call, key })).status);
  expect(answers).toEqual(statuses);
});

test('a deleted key is refused at once', async () => {
  const { id, key } = await makeKey({ scopes: ['completions.write'] });
  expect((await chat({ key })).status).toBe(200);
  expect((await world.app.rest('DELETE', `/v1/api-keys/${id}`)).status).toBe(200);
  expect((await chat({ key })).status).toBe(401);
  expect(world.provider.requests).toHaveLength(0);
});

test('a new key is good at once, also when it was refused before it existed', async () => {
  const { key } = await makeKey({ scopes: ['completions.write'] });
  const statuses = [];
  for (let count = 0; count < 3; count++) statuses.push((await chat({ key })).status);
  expect(statuses).toEqual([200, 200, 200]);
});

test('a scope that is taken away is gone at once', async () => {
  const { id, key } = await makeKey({ scopes: ['completions.write'] });
  expect((await chat({ key })).status).toBe(200);
  const update = await world.app.rest('PUT', `/v1/api-keys/${id}`, { body: { scopes: ['logs.list'] } });
  expect(update.status).toBe(200);
  expect((await chat({ key })).status).toBe(403);
});

test('two tenants with equal slugs reach their own providers only', async () => {
  const neighbour = await world.app.createTenant();
  const body = { model: '@mock/mock-1', messages };
  for (const key of [world.app.workspaceKey, neighbour.workspaceKey]) {
    expect((await chat({ key, body })).status).toBe(200);
  }
  await world.app.logged();
  const logs = await world.app.db.collection('logs').find({ providerSlug: 'mock' }).toArray();
  expect(new Set(logs.map((log) => `${log.organisationId} ${log.workspaceId}`))).toEqual(
    new Set([world.app, neighbour].map((tenant) => `${tenant.organisationId} ${tenant.workspaceId}`)),
  );
  expect(new Set(logs.map((log) => log.providerId)).size).toBe(2);
});
