import dns from 'node:dns';
import { request as httpRequest } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { chatAnswer, json, type Script } from '../../support/provider.ts';
import { bodiesOf, recordsOf, someRecordsOf } from '../../support/records.ts';
import type { CallOptions, World } from '../../support/world.ts';

/** A public name that somebody lets lead to this machine; no other name resolves, so that nothing leaves it. */
const NAME = 'gateway.example.com';
jest.unstable_mockModule('node:dns', () => ({
  ...dns,
  lookup(name: string, options: dns.LookupAllOptions, callback: (...found: unknown[]) => void) {
    if (name === NAME) return dns.lookup('127.0.0.1', options, callback);
    if (!name.includes('.') || /^[\d.]+$/.test(name)) return dns.lookup(name, options, callback);
    setImmediate(callback, Object.assign(new Error(`${name} does not resolve.`), { code: 'ENOTFOUND' }));
  },
}));
const { created, messages, startWorld, until } = await import('../../support/world.ts');
const { startApp } = await import('../../support/app.ts');
const { startProvider } = await import('../../support/provider.ts');
const { startRealtimeProvider } = await import('../../support/realtime-provider.ts');

const ownAddress = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const hosts = ['localhost', '127.0.0.1', '127.0.0.2', NAME, ...(ownAddress ? [ownAddress] : [])];

let world: World;
let port: string;
/** Where the app finds itself again, one port further, so that its address alone says nothing. */
let forwarder: Awaited<ReturnType<typeof startProvider>>;
let embeddings: Awaited<ReturnType<typeof startProvider>>;

/** Sends requests on to the app. `without`: a header that is lost on the way. */
const toApp =
  (without?: string): Script =>
  ({ method, url, headers, body }, response) => {
    const { host: _host, [without ?? '']: _lost, ...others } = headers;
    const onward = httpRequest(`${world.app.url}${url}`, { method, headers: others }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    // Who hangs up here hangs up there.
    response.on('close', () => onward.destroy());
    onward.end(body);
  };

beforeAll(async () => {
  [forwarder, embeddings] = await Promise.all([startProvider(), startProvider()]);
  world = await startWorld({
    HOST: '0.0.0.0',
    TRUSTED_HOSTS: hosts.join(),
    HEADER_PREFIX_ALIASES: 'x-other-',
    MAX_OPEN_CALLS: '60',
    MAX_OPEN_CALLS_PER_KEY: '20',
    SEMANTIC_CACHE_EMBEDDINGS: JSON.stringify({ provider: 'openai', custom_host: embeddings.url }),
  });
  ({ port } = new URL(world.app.url));
});
afterAll(async () => {
  await world.stop();
  await Promise.all([forwarder.stop(), embeddings.stop()]);
});

const openCalls = async () =>
  Number(/^sluice_open_calls (\d+)$/m.exec(await (await fetch(`${world.app.url}/metrics`)).text())?.[1]);

/** A call of a new tenant whose every call goes through the forwarder to the gateway again. */
async function loop(customHeaders: Record<string, string> = {}, options: CallOptions = {}) {
  const { workspaceKey: key } = await world.app.createTenant();
  const integration = {
    name: 'Round',
    slug: 'round',
    ai_provider_id: 'openai',
    key,
    configurations: { custom_host: forwarder.url, custom_headers: customHeaders },
  };
  await created(world.app, '/v1/integrations', integration, key);
  const config = { provider: '@round', ...(options.config as object) };
  await created(world.app, '/v1/configs', { name: 'Round', isDefault: 1, config }, key);
  return world.call({ body: { model: 'm', messages }, ...options, config: undefined, key });
}

describe('a connection to the gateway’s own port', () => {
  const leadsBack = { code: 'invalid_custom_host', message: expect.stringMatching(/the gateway itself/) };
  let count = 0;

  /** Asks for a host; exactly one request may have come, the one that was refused. */
  async function refused(options: CallOptions) {
    const traceId = `own-${count++}`;
    const answer = await world.call({
      body: { model: 'm', messages },
      ...options,
      headers: { 'x-gateway-trace-id': traceId, ...options.headers },
    });
    expect([answer.status, answer.json.error]).toEqual([400, expect.objectContaining(leadsBack)]);
    expect(await recordsOf(world.app, { traceId })).toHaveLength(1);
  }

  const at = (host: string) => `http://${host}:${port}/v1`;
  const key = () => world.app.workspaceKey;

  test.each(hosts)('is refused for %s, trusted or not', async (host) => {
    await refused({ config: { provider: 'openai', api_key: key(), custom_host: at(host) } });
  });

  test('is refused whoever names it, on every kind of path', async () => {
    const headers = { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': at(NAME) };
    await refused({ headers });
    await refused({ headers, path: '/v1/proxy/chat/completions' });
    await refused({ headers, path: '/v1/files', method: 'GET', body: undefined });
    await refused({ headers, body: { model: 'm', messages, stream: true } });
    const slug = await world.makeProvider({ configurations: { custom_host: at(NAME) } });
    await refused({ headers: { 'x-gateway-provider': `@${slug}` } });
    const azure = { provider: 'azure-openai', api_key: 'k', custom_host: at(NAME) };
    await refused({ config: azure });
  });

  test.each(['anthropic', 'google', 'cohere', 'ai21'])(
    'is refused for the dialect of %s',
    async (provider) => {
      await refused({ config: { provider, api_key: key(), custom_host: at(NAME) } });
    },
  );

  test('is refused for a realtime session', async () => {
    const socket = new WebSocket(`${world.app.url.replace('http', 'ws')}/v1/realtime?model=m`, {
      headers: {
        'x-gateway-api-key': key(),
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': at(NAME),
      },
    });
    socket.on('error', () => undefined);
    const [status, text] = await new Promise<[number | undefined, string]>((resolve) => {
      socket.on('unexpected-response', async (_request, response) => {
        let body = '';
        for await (const chunk of response) body += chunk;
        resolve([response.statusCode, body]);
      });
    });
    expect([status, JSON.parse(text).error]).toEqual([400, expect.objectContaining(leadsBack)]);
  });

  test('does not hinder one to another gateway on this machine', async () => {
    const other = await startApp();
    const answer = await world.call({
      method: 'GET',
      path: '/v1/models',
      config: { provider: 'openai', api_key: other.workspaceKey, custom_host: `${other.url}/v1` },
    });
    await other.stop();
    expect([answer.status, answer.json.object]).toEqual([200, 'list']);
  });
});

describe('the count of gateways', () => {
  test.each<[string, Record<string, string>, CallOptions]>([
    ['a chat completion', {}, {}],
    ['a stream', {}, { body: { model: 'm', messages, stream: true } }],
    ['a path that is passed on', {}, { path: '/v1/proxy/chat/completions' }],
    ['headers of an integration', { 'x-gateway-hops': '0', 'X-Other-Hops': '0' }, {}],
    ['headers of the caller', {}, { headers: { 'x-gateway-hops': '0', 'x-other-hops': '0' } }],
    [
      'headers that are forwarded',
      {},
      { headers: { 'x-gateway-forward-headers': 'x-gateway-hops,x-other-hops', 'x-other-hops': '0' } },
    ],
    ['a config that forwards them', {}, { config: { forward_headers: ['x-gateway-hops', 'x-other-hops'] } }],
  ])('ends a loop of %s with 508', async (_name, headers, options) => {
    forwarder.play(toApp());
    const answer = await loop(headers, options);
    expect([answer.status, answer.json.error.code]).toEqual([508, 'loop_detected']);
    expect(forwarder.requests.map((request) => request.headers['x-gateway-hops'])).toEqual([
      '1',
      '2',
      '3',
      '4',
    ]);
    expect(await openCalls()).toBe(0);
  });

  const sent = async (options: CallOptions) => {
    forwarder.play(json(200, chatAnswer('fine')));
    await world.call({ body: { model: 'm', messages }, ...options });
    return forwarder.requests.at(-1)?.headers['x-gateway-hops'];
  };

  test.each(['openai', 'anthropic', 'google', 'cohere', 'ai21'])(
    'goes to a custom host of %s',
    async (provider) => {
      const config = { provider, api_key: 'k', custom_host: forwarder.url };
      expect(await sent({ config })).toBe('1');
      expect(await sent({ config, headers: { 'x-gateway-hops': '2' } })).toBe('3');
    },
  );

  test('goes to the embedder of the semantic cache', async () => {
    embeddings.play(json(200, { data: [{ embedding: [1, 0] }] }));
    world.provider.play(json(200, chatAnswer('fine')));
    const config = { provider: `@${world.slug}`, cache: { mode: 'semantic' } };
    await world.call({ config, body: { model: 'm', messages }, headers: { 'x-gateway-hops': '1' } });
    expect(embeddings.requests.map(({ headers }) => headers['x-gateway-hops'])).toEqual(['2']);
  });

  test('goes to a realtime session', async () => {
    const realtime = await startRealtimeProvider();
    const session = realtime.session();
    const socket = new WebSocket(`${world.app.url.replace('http', 'ws')}/v1/realtime?model=m`, {
      headers: {
        'x-gateway-api-key': world.app.workspaceKey,
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': realtime.url,
        'x-gateway-hops': '1',
      },
    });
    const { request } = await session;
    expect(request.headers['x-gateway-hops']).toBe('2');
    expect(await openCalls()).toBe(1);
    socket.close();
    await until(async () => (await openCalls()) === 0);
    await realtime.stop();
  });

  test('goes to no provider at its own address', async () => {
    const headersOf = async (config: object, traceId: string) => {
      const override_params = { temperature: 0 };
      await world.call({
        config: { api_key: 'k', override_params, ...config },
        body: { model: 'm', messages },
        headers: { 'x-gateway-trace-id': traceId },
      });
      const [record] = await someRecordsOf(world.app, { traceId });
      const bodies = record && (await bodiesOf(world.app, record));
      return Object.keys(bodies?.transformedRequest?.headers ?? {});
    };
    const fixed = await headersOf({ provider: 'openai' }, 'fixed');
    expect(fixed).toContain('content-type');
    expect(fixed.filter((name) => name.startsWith('x-gateway'))).toEqual([]);
    const named = { provider: 'openai', custom_host: 'https://nobody.example.com' };
    expect(await headersOf(named, 'named')).toContain('x-gateway-hops');
  });

  test.each([
    ['4', 508, 'loop_detected'],
    ['999999999999999', 508, 'loop_detected'],
    ['-1', 400, null],
    ['1.5', 400, null],
    ['many', 400, null],
    ['', 400, null],
    ['1, 1', 400, null],
  ])('of a request: %j is answered %i', async (hops, status, code) => {
    world.provider.play(json(200, chatAnswer('fine')));
    const answer = await world.call({ headers: { 'x-gateway-hops': hops } });
    expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([
      status,
      code,
      'x-gateway-hops',
    ]);
    expect(world.provider.requests).toHaveLength(0);
  });

  test('of a request may come as an alias', async () => {
    const answer = await world.call({ headers: { 'x-other-hops': '4' } });
    expect(answer.status).toBe(508);
  });
});

describe('open calls', () => {
  test('end a loop that loses its count at the limit of the key', async () => {
    forwarder.play(toApp('x-gateway-hops'));
    const answer = await loop();
    expect([answer.status, answer.json.error.code]).toEqual([429, 'too_many_open_calls']);
    expect(forwarder.requests).toHaveLength(20);
    await until(async () => (await openCalls()) === 0);
  });

  test('of one credential leave room for others, up to the limit of the process', async () => {
    world.provider.play(() => undefined);
    const over = new AbortController();
    const config = { provider: 'openai', api_key: 'k', custom_host: world.provider.url };
    const options = { config, body: { model: 'm', messages } };
    const held: Promise<unknown>[] = [];
    const hold = async (key: string) => {
      const before = await openCalls();
      for (let each = 0; each < 20; each++)
        held.push(world.call({ ...options, key, signal: over.signal }).catch(() => undefined));
      await until(async () => (await openCalls()) === before + 20);
    };
    const refused = async (key: string) => {
      const { status, headers, json: body } = await world.call({ ...options, key });
      return [status, body.error.code, headers['retry-after']];
    };
    const mock = async (key: string) =>
      (await world.call({ key, body: { model: '@mock/mock-1', messages } })).status;
    const keys = await Promise.all([1, 2, 3].map(async () => (await world.app.createTenant()).workspaceKey));
    const [first = '', second = '', third = ''] = keys;
    await hold(first);
    expect(await refused(first)).toEqual([429, 'too_many_open_calls', '1']);
    expect(await mock(second)).toBe(200);
    await hold(second);
    await hold(third);
    expect(await refused(world.app.workspaceKey)).toEqual([503, 'gateway_busy', '1']);
    over.abort();
    await Promise.all(held);
    await until(async () => (await openCalls()) === 0);
    expect(await mock(first)).toBe(200);
  });
});
