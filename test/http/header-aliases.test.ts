import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import OpenAI from 'openai';
import { WebSocket } from 'ws';
import { readSettings } from '../../src/settings/index.ts';
import { chatAnswer, chatFrames, eventStream, json } from '../support/provider.ts';
import { bodiesOf, recordsOf } from '../support/records.ts';
import { type CallOptions, messages, type RawAnswer, startWorld, type World } from '../support/world.ts';

const prefixes = ['x-other-gw-', 'x-acme_ai-'];
let world: World;

beforeAll(async () => {
  world = await startWorld({ HEADER_PREFIX_ALIASES: ' x-Other-GW-, x-acme_ai- ' });
});
afterAll(() => world.stop());

const play = () => world.provider.play(json(200, chatAnswer('hello')));

/** A call whose headers are all that the caller sends beside the body. */
const call = (headers: CallOptions['headers'], more: CallOptions = {}) =>
  world.call({ key: null, headers, ...more });

describe('a request', () => {
  it('is authenticated, routed and traced by headers under an alias, however they are written', async () => {
    for (const prefix of ['x-other-gw-', 'X-Other-Gw-', 'X-OTHER-GW-', 'x-acme_ai-']) {
      play();
      const answer = await call(
        {
          [`${prefix}api-key`]: world.app.workspaceKey,
          [`${prefix}provider`]: `@${world.slug}`,
          [`${prefix}trace-id`]: 'trace-of-mine',
        },
        { body: { model: 'gpt-test', messages } },
      );
      expect([answer.status, answer.headers['x-gateway-trace-id']]).toEqual([200, 'trace-of-mine']);
      expect(world.provider.requests).toHaveLength(1);
    }
  });

  it('is taken by its canonical headers where both are given, also when they are wrong', async () => {
    const { workspaceKey } = world.app;
    const good = await call({ 'x-gateway-api-key': workspaceKey, 'x-other-gw-api-key': 'sl-nobody' });
    const bad = await call({ 'x-other-gw-api-key': workspaceKey, 'x-gateway-api-key': 'sl-nobody' });
    expect([good.status, bad.status]).toEqual([200, 401]);
  });

  it('may repeat a header, as it may under the canonical name', async () => {
    const statuses = async (name: string) =>
      (await call({ 'x-gateway-api-key': world.app.workspaceKey, [name]: ['300', '400'] })).status;
    expect(await statuses('x-other-gw-request-timeout')).toBe(400);
    expect(await statuses('x-gateway-request-timeout')).toBe(400);
  });

  it('opens the graph and REST, and is refused there without a key under any name', async () => {
    const query = { query: '{ organisation { id } }' };
    for (const [path, body, method] of [
      ['/graphql', query, 'POST'],
      ['/v1/configs', null, 'GET'],
    ] as const) {
      const open = await call(
        { 'x-acme_ai-api-key': world.app.workspaceKey, 'content-type': 'application/json' },
        { path, body, method },
      );
      expect([open.status, open.json.errors]).toEqual([200, undefined]);
      const closed = await call(
        { 'x-stranger-api-key': world.app.workspaceKey, 'content-type': 'application/json' },
        { path, body, method },
      );
      expect(closed.text).toMatch(/UNAUTHENTICATED|AB05/);
    }
  });

  it('opens a WebSocket', async () => {
    const client = createClient({
      url: `${world.app.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocols: string) {
          super(url, protocols, { headers: { 'X-Other-Gw-Api-Key': world.app.workspaceKey } });
        }
      },
      retryAttempts: 0,
    });
    const { value } = await client.iterate({ query: '{ organisation { id } }' }).next();
    expect(value).toEqual({ data: { organisation: { id: world.app.organisationId } } });
    await client.dispose();
  });

  it('never hands a header under an alias to the provider, nor keeps its secrets', async () => {
    for (const path of ['/v1/chat/completions', '/v1/any/thing', '/v1/proxy/chat/completions']) {
      play();
      const tagged = `${path}?from=aliases`;
      await call(
        {
          'x-gateway-api-key': world.app.workspaceKey,
          'x-gateway-provider': `@${world.slug}`,
          'x-acme_ai-api-key': 'sl-another-key-that-is-secret',
          'X-Other-Gw-Private': 'not for the provider',
          'x-other-gw-config': '{"forward_headers": ["x-other-gw-private", "x-mine"]}',
          'x-other-gw-sensitive-headers': 'X-Other-Gw-Private, x-mine',
          'x-mine': 'for the provider',
        },
        { path: tagged },
      );
      const [request] = world.provider.requests;
      expect(request?.headers['x-mine']).toBe('for the provider');
      expect(
        Object.keys(request?.headers ?? {}).filter((name) => /^x-(gateway|other|acme)/.test(name)),
      ).toEqual(['x-gateway-hops']);
      const [record] = await recordsOf(world.app, { requestUrl: tagged });
      if (!record) throw new Error('The call is not in the log.');
      const stored = JSON.stringify((await bodiesOf(world.app, record))?.request);
      expect(stored).not.toMatch(/-secret|for the provider|"x-(other|acme)[\w-]*":/);
      expect(stored).toMatch(/"x-gateway-private":"\[redacted]"/);
    }
  });

  it('keeps headers that only look like an alias', async () => {
    play();
    const headers = { 'x-gateway-api-key': world.app.workspaceKey, 'x-gateway-provider': `@${world.slug}` };
    await call(
      { ...headers, 'x-other-gw': 'a', 'x-others-gw-a': 'b', 'my-x-other-gw-a': 'c' },
      { path: '/v1/any' },
    );
    expect(world.provider.requests[0]?.headers).toMatchObject({
      'x-other-gw': 'a',
      'x-others-gw-a': 'b',
      'my-x-other-gw-a': 'c',
    });
  });
});

describe('an answer', () => {
  /** Values of the gateway's headers by name without prefix, for the prefix. */
  const under = ({ lines }: RawAnswer, prefix: string) =>
    lines
      .flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : []))
      .sort();

  const expectMirrored = (answer: RawAnswer) => {
    const canonical = under(answer, 'x-gateway-');
    for (const prefix of prefixes) expect(under(answer, prefix)).toEqual(canonical);
    return Object.fromEntries(canonical);
  };

  it.each([
    ['JSON', () => json(200, chatAnswer('hello')), 200],
    ['a stream', () => eventStream(chatFrames(['a', 'b'])), 200],
    ['304 without a body', () => json(304, undefined), 304],
    ['an error of the provider', () => json(429, { error: {} }), 429],
    ['no answer at all', () => (_request: unknown, response: { destroy(): void }) => response.destroy(), 500],
  ] as const)('carries the gateway’s headers under every alias: %s', async (_name, script, status) => {
    world.provider.play(script());
    const answer = await world.call({ config: { retry: { attempts: 0 } } });
    expect(answer.status).toBe(status);
    expect(expectMirrored(answer)).toMatchObject({ provider: 'openai', 'trace-id': expect.any(String) });
  });

  it.each([
    ['no key', { key: null }, 'gateway-exception'],
    ['a config that is none', { config: '{broken' }, 'gateway-exception'],
    ['the list of models', { method: 'GET', path: '/v1/models' }, 'trace-id'],
  ] as const)('carries them where no provider was asked: %s', async (_name, options, header) => {
    expect(expectMirrored(await world.call(options))).toHaveProperty(header);
  });

  it('has one value of each, also when the provider is a gateway with the same prefix', async () => {
    world.provider.play(
      json(200, chatAnswer('hello'), {
        'X-Other-Gw-Trace-Id': 'of the provider',
        'x-gateway-trace-id': 'of the provider',
        'x-other-gw-node': 'n1',
        'x-gateway-region': 'r1',
      }),
    );
    const answer = await world.call({ headers: { 'x-other-gw-trace-id': 'mine' } });
    expect(under(answer, 'x-other-gw-')).toEqual([...under(answer, 'x-gateway-'), ['node', 'n1']].sort());
    expect(answer.headers['x-other-gw-trace-id']).toBe('mine');
  });
});

it('serves the official SDK with the default headers of another gateway', async () => {
  const client = new OpenAI({
    baseURL: `${world.app.url}/v1`,
    apiKey: 'unused',
    defaultHeaders: { 'x-other-gw-api-key': world.app.workspaceKey, 'x-other-gw-provider': '@mock' },
  });
  const request = { model: 'mock-1', messages: [{ role: 'user' as const, content: 'say this back' }] };
  const { data, response } = await client.chat.completions.create(request).withResponse();
  expect(data.choices[0]?.message.content).toBe('say this back');
  expect(response.headers.get('x-other-gw-provider')).toBe('mock');
  let text = '';
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
    text += chunk.choices[0]?.delta.content ?? '';
  expect(text).toBe('say this back');
});

describe('without the setting', () => {
  it('no other prefix counts', async () => {
    const plain = await startWorld();
    try {
      const answer = await plain.call({
        key: null,
        headers: { 'x-other-gw-api-key': plain.app.workspaceKey },
      });
      expect(answer.status).toBe(401);
      expect(answer.lines.filter(([name]) => name.startsWith('x-other'))).toEqual([]);
    } finally {
      await plain.stop();
    }
  });
});

describe('HEADER_PREFIX_ALIASES', () => {
  it.each([
    'x-gateway-',
    'X-Gateway-',
    'x-gateway-more-',
    'x-',
    'x--',
    'x-other',
    'other-',
    'content-',
    'x-request-',
    'x-forwarded-',
    'x-other gw-',
    'x-o(ther-',
    'x-ä-',
    'x-other-,,x-acme-',
    'x-a-,x-b-,x-c-,x-d-,x-e-,x-f-',
  ])('%j stops the start', (value) => {
    expect(() => readSettings({ HEADER_PREFIX_ALIASES: value })).toThrow(/HEADER_PREFIX_ALIASES/);
  });
});
