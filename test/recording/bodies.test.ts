import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chatAnswer, chatFrames, eventStream, json, type Script } from '../support/provider.ts';
import { bodiesOf, recordsOf, type StoredBodies, storedText } from '../support/records.ts';
import { type CallOptions, messages, STORED_KEY, startWorld, type World } from '../support/world.ts';

const LIMIT = 20_000;
let world: World;
let silent: World;

beforeAll(async () => {
  world = await startWorld({ LOG_BODY_MAX_BYTES: String(LIMIT) });
  silent = await startWorld({ LOG_BODIES: 'none' });
});
afterAll(async () => {
  await world.stop();
  await silent.stop();
});

async function stored(script: Script, options: CallOptions = {}, on = world) {
  const { answer, record } = await on.logged(script, options);
  return { answer, record, bodies: await bodiesOf(on.app, record) };
}

const through = () => ({ 'x-gateway-provider': `@${world.slug}` });

test('headers and bodies of both sides are kept, and what was changed on the way', async () => {
  const { bodies, record } = await stored(json(200, chatAnswer('hi'), { 'x-from': 'provider' }));
  expect(bodies).toEqual({
    request: {
      headers: expect.objectContaining({
        'content-type': 'application/json',
        'x-gateway-trace-id': record.traceId,
      }),
      body: JSON.stringify({ model: `@${world.slug}/gpt-test`, messages }),
      truncated: false,
    },
    transformedRequest: {
      headers: expect.objectContaining({ authorization: '[redacted]' }),
      body: JSON.stringify({ model: 'gpt-test', messages }),
      truncated: false,
    },
    response: {
      headers: expect.objectContaining({ 'x-from': 'provider' }),
      body: JSON.stringify(chatAnswer('hi')),
      truncated: false,
    },
  });
});

test('a request that was not changed is kept once', async () => {
  const { bodies } = await stored(json(200, {}), { headers: through(), body: { model: 'm', messages } });
  expect(bodies?.transformedRequest).toBeNull();
});

test('a stream is kept as it came', async () => {
  const frames = chatFrames(['one ', 'two']);
  const { bodies } = await stored(eventStream(frames));
  expect(bodies?.response.body).toBe(frames.join(''));
});

const answer =
  (type: string, body: Buffer | string, headers: Record<string, string> = {}): Script =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type, ...headers });
    response.end(body);
  };

test.each([
  ['an answer just as long as the limit', 'text/plain', 'x'.repeat(LIMIT), LIMIT, false],
  ['a longer one', 'text/plain', 'x'.repeat(LIMIT + 1), LIMIT, true],
  ['a much longer one', 'application/json', JSON.stringify('x'.repeat(500_000)), LIMIT, true],
  ['an empty one', 'text/plain', '', null, false],
  ['a binary one', 'image/png', Buffer.from([1, 2, 3]), null, false],
] as [string, string, string | Buffer, number | null, boolean][])(
  '%s',
  async (_name, type, body, length, truncated) => {
    const { bodies } = await stored(answer(type, body), { path: '/v1/x', headers: through() });
    expect([bodies?.response.body?.length ?? null, bodies?.response.truncated]).toEqual([length, truncated]);
  },
);

test('a compressed answer is not kept as text', async () => {
  const { bodies } = await stored(answer('application/json', 'zzz', { 'content-encoding': 'gzip' }), {
    path: '/v1/x',
    headers: through(),
  });
  expect(bodies?.response.body).toBeNull();
});

test.each([
  ['text', 'text/plain', 'x'.repeat(LIMIT + 5), 'x'.repeat(LIMIT), true],
  ['bytes', 'audio/wav', Buffer.from([1, 2]), null, false],
] as [string, string, string | Buffer, string | null, boolean][])(
  'a request of %s',
  async (_name, type, body, kept, truncated) => {
    const { bodies } = await stored(json(200, {}), {
      path: '/v1/x',
      headers: { 'content-type': type, ...through() },
      body,
    });
    expect([bodies?.request.body, bodies?.request.truncated]).toEqual([kept, truncated]);
  },
);

describe('no bodies', () => {
  const nothing = async (
    call: Promise<{ record: { bodiesId: string | null; totalTokens: number | null } }>,
  ) => {
    const { record } = await call;
    expect([record.bodiesId, record.totalTokens]).toEqual([null, 8]);
  };

  test('where the request asks for none, while the counts stay', async () => {
    await nothing(stored(json(200, chatAnswer('hi')), { headers: { 'x-gateway-debug': 'false' } }));
  });

  test('where the installation stores none', async () => {
    await nothing(stored(json(200, chatAnswer('hi')), {}, silent));
    expect(await silent.app.db.collection('log_bodies').countDocuments({})).toBe(0);
  });

  test('any other value of the header keeps them', async () => {
    const { bodies } = await stored(json(200, chatAnswer('hi')), { headers: { 'x-gateway-debug': 'true' } });
    expect(bodies?.response.body).toContain('hi');
  });
});

test('headers that the request calls sensitive are masked on both sides', async () => {
  const { bodies } = await stored(json(200, {}, { 'x-mine': 'hidden', 'x-open': 'seen' }), {
    headers: { 'x-mine': 'hidden', 'x-gateway-sensitive-headers': 'X-Other, X-Mine' },
  });
  const { request, response } = bodies as StoredBodies;
  expect([request.headers['x-mine'], response.headers['x-mine'], response.headers['x-open']]).toEqual([
    '[redacted]',
    '[redacted]',
    'seen',
  ]);
});

test('logs of two tenants never share a pack', async () => {
  const neighbour = await world.app.createTenant();
  const packs = await Promise.all(
    [world.app.workspaceKey, neighbour.workspaceKey].map(async (key) => {
      const { record } = await stored(json(200, {}), { key, body: { model: '@mock/mock-1', messages } });
      return record.bodiesId;
    }),
  );
  expect(new Set(packs).size).toBe(2);
});

test('planted secrets are nowhere in the store', async () => {
  // None of them looks like a key: names and places have to give them away. The others are known by their look.
  const secret = (name: string) => `planted-${name}-9f3c1`;
  const slug = await world.makeProvider({
    key: secret('stored'),
    configurations: { custom_host: world.provider.url, custom_headers: { 'x-team-pass': secret('header') } },
  });
  const config = {
    strategy: { mode: 'fallback' },
    targets: [
      { provider: 'openai', api_key: secret('config'), custom_host: world.provider.url },
      { provider: 'openai', apiKey: secret('camel'), custom_host: world.provider.url },
    ],
  };
  const calls: CallOptions[] = [
    { body: { model: `@${slug}/m`, messages } },
    { path: '/v1/rerank', headers: { 'x-gateway-provider': `@${slug}` } },
    { config, body: { model: 'm', messages } },
    { config: { ...config, aws_secret_access_key: secret('refused') } },
    { config: { azureEntraClientSecret: secret('refused-camel') } },
    { config: `[{"api_key": "${secret('list')}"}]` },
    { config: `{api_key: '${secret('broken')}'}` },
    { config: `{"api\\u005fkey": "${secret('escaped')}", "provider": "openai"}` },
    { config: STORED_KEY },
    {
      path: `/v1/models/x:generate?key=${secret('query')}&api_key=${secret('query-2')}&%6bey=${secret('query-3')}&alt=sse`,
      method: 'GET',
      headers: { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': world.provider.url },
    },
    {
      headers: {
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': world.provider.url,
        authorization: `Bearer ${secret('bearer')}`,
        'x-api-key': secret('x-api-key'),
        'x-gateway-aws-secret-access-key': secret('aws'),
        'x-gateway-azure-ad-token': secret('azure'),
        cookie: `session=${secret('cookie')}`,
      },
      body: { model: 'm', messages: [{ role: 'user', content: `my key is ${STORED_KEY}` }] },
    },
    { key: null, headers: { authorization: `Bearer ${world.app.workspaceKey}` } },
    { headers: { 'x-gateway-provider': world.app.workspaceKey }, body: { model: 'm' } },
    { body: { model: `@${world.app.workspaceKey}/m`, messages } },
  ];
  for (const options of calls) {
    await stored(
      json(
        503,
        { echo: world.app.workspaceKey },
        { 'set-cookie': `s=${secret('set-cookie')}`, 'x-auth-token': secret('answer') },
      ),
      options,
    );
  }
  const text = await storedText(world.app);
  expect(text.match(/planted-[a-z0-9-]+-9f3c1/g)).toBeNull();
  expect(text).not.toContain(STORED_KEY);
  expect(text).not.toContain(world.app.workspaceKey);
  // What was next to the secrets is there, so the search did look at it.
  expect(text).toContain('my key is [redacted]');
  const [query] = await recordsOf(world.app, { requestUrl: /generate/ });
  expect(query?.requestUrl).toBe(
    '/v1/models/x:generate?key=[redacted]&api_key=[redacted]&%6bey=[redacted]&alt=sse',
  );
});

test('a model name without end costs no log', async () => {
  const { record } = await stored(json(200, {}), {
    headers: through(),
    body: { model: 'm'.repeat(15_000_000), messages },
  });
  expect(record.aiModel?.length).toBeLessThan(1000);
});
