import dns from 'node:dns';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { chatAnswer, json, type Script } from '../../support/provider.ts';
import type { RawAnswer, World } from '../../support/world.ts';

/** Names that were asked for and do not resolve: nothing here leaves the machine. */
const unresolved: string[] = [];
jest.unstable_mockModule('node:dns', () => ({
  ...dns,
  lookup(name: string, options: dns.LookupAllOptions, callback: (...found: unknown[]) => void) {
    if (!name.includes('.') || /^[\d.]+$/.test(name)) return dns.lookup(name, options, callback);
    unresolved.push(name);
    setImmediate(callback, Object.assign(new Error(`${name} does not resolve.`), { code: 'ENOTFOUND' }));
  },
}));
const { messages, startWorld } = await import('../../support/world.ts');

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const fine = json(200, chatAnswer('at last'));

async function call(retry: object | undefined, scripts: Script[], rest: object = {}) {
  world.provider.play(...scripts);
  const answer = await world.call({
    config: { provider: `@${world.slug}`, ...(retry && { retry }), ...rest },
    body: { model: 'm', messages },
  });
  return outcome(answer);
}

const outcome = (answer: RawAnswer) => ({
  answer,
  status: answer.status,
  calls: world.provider.requests.length,
  count: answer.headers['x-gateway-retry-attempt-count'],
});

describe('timeouts', () => {
  const silent: Script = () => {};
  const timedOut = {
    error: { message: expect.any(String), type: 'timeout_error', param: null, code: null },
  };

  test('of the config: 408 in the gateway’s own shape', async () => {
    const { answer, calls } = await call(undefined, [silent], { request_timeout: 500 });
    expect([answer.status, calls]).toEqual([408, 1]);
    expect(answer.json).toEqual(timedOut);
    expect(answer.headers['x-gateway-last-used-option-index']).toBe('config');
  });

  const withHeader = (value: string, config?: object) => {
    world.provider.play(silent);
    return world.call({
      headers: { 'x-gateway-request-timeout': value },
      config: { provider: `@${world.slug}`, ...config },
    });
  };

  test('of the header, which goes before the config', async () => {
    expect((await withHeader('30')).status).toBe(408);
    expect((await withHeader('30', { request_timeout: 600_000 })).status).toBe(408);
    world.provider.play(fine);
    const patient = await world.call({
      headers: { 'x-gateway-request-timeout': '600000' },
      config: { provider: `@${world.slug}`, request_timeout: 1 },
    });
    expect(patient.status).toBe(200);
  });

  test.each(['0', '-1', 'soon', '1.5', '', '3600001', '1e99'])(
    'the header value %j is refused',
    async (value) => {
      const answer = await withHeader(value);
      expect([answer.status, answer.json.error.param]).toEqual([400, 'x-gateway-request-timeout']);
      expect(world.provider.requests).toHaveLength(0);
    },
  );

  test('close the connection to the provider', async () => {
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    await call(undefined, [(_request, response) => void response.once('close', closed)], {
      request_timeout: 30,
    });
    await gone;
  });

  test('hold for the mock provider as well', async () => {
    const answer = await world.call({
      headers: { 'x-gateway-request-timeout': '30' },
      body: { model: '@mock/mock-delay-60000', messages },
    });
    expect([answer.status, answer.json]).toEqual([408, timedOut]);
  });
});

describe('connections', () => {
  /** A TCP server that treats every connection like this. */
  async function rude(treat: (socket: Socket) => void): Promise<{ url: string; server: Server }> {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => treat(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    return { url: `http://127.0.0.1:${port}/v1`, server };
  }

  const at = (url: string, rest: object = {}, path = '/v1/chat/completions') =>
    world.call({
      path,
      config: { provider: 'openai', api_key: 'k', custom_host: url, ...rest },
      body: { model: 'm' },
    });

  async function freePort(): Promise<number> {
    const { server, url } = await rude(() => {});
    await new Promise((resolve) => server.close(resolve));
    return Number(new URL(url).port);
  }

  test('nobody listens: 503', async () => {
    const answer = await at(`http://127.0.0.1:${await freePort()}/v1`);
    expect([answer.status, answer.json.error.code]).toEqual([503, 'provider_unreachable']);
    expect(answer.json.message).toBe(answer.json.error.message);
    expect(answer.headers['x-gateway-retry-attempt-count']).toBe('0');
  });

  test('a name that does not resolve: 503', async () => {
    const answer = await at('http://nobody.sluice.example/v1');
    expect([answer.status, answer.json.error.code]).toEqual([503, 'provider_unreachable']);
  });

  test('a service of tokens that cannot be reached is the target’s failure: 503, or the next target is called', async () => {
    const throughEntra = {
      provider: 'azure-openai',
      custom_host: world.provider.url,
      azure_auth_mode: 'entra',
      azure_entra_tenant_id: 'tenant',
      azure_entra_client_id: 'client',
      azure_entra_client_secret: 'a secret of Entra',
    };
    unresolved.length = 0;
    const alone = await call({ attempts: 1 }, [fine], throughEntra);
    expect([alone.status, alone.answer.json.error.code, alone.calls, alone.count]).toEqual([
      503,
      'provider_unreachable',
      0,
      '-1',
    ]);
    const fallback = await world.call({
      config: { strategy: { mode: 'fallback' }, targets: [throughEntra, { provider: `@${world.slug}` }] },
      body: { model: 'm', messages },
    });
    expect([fallback.status, fallback.headers['x-gateway-last-used-option-index']]).toEqual([
      200,
      'config.targets[1]',
    ]);
    expect(world.provider.requests).toHaveLength(1);
    expect(unresolved).toEqual(['login.microsoftonline.com', 'login.microsoftonline.com']);
    expect(alone.answer.text).not.toContain('a secret of Entra');
  });

  test.each([
    ['before it answers', ''],
    ['in the middle of the head', 'HTTP/1.1 200 OK\r\ncontent-ty'],
    ['after nonsense', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ])('a connection that breaks %s: 500', async (_name, words) => {
    const { url, server } = await rude((socket) => socket.end(words));
    const answer = await at(url);
    expect([answer.status, answer.json.error.code]).toEqual([500, 'provider_connection_failed']);
    server.close();
  });

  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n';

  test.each([
    ['a field of 30 KB', `x-large: ${'x'.repeat(30_000)}\r\n`],
    ['fields of 60 KB', `x-large: ${'x'.repeat(999)}\r\n`.repeat(60)],
  ])('%s passes', async (_name, fields) => {
    const { url, server } = await rude((socket) => socket.end(`${head}${fields}\r\n{}`));
    for (const path of ['/v1/chat/completions', '/v1/proxy/chat/completions']) {
      const answer = await at(url, {}, path);
      expect([answer.status, String(answer.headers['x-large']).replaceAll(', ', '').length]).toEqual([
        200,
        fields.replaceAll(/x-large: |\r\n/g, '').length,
      ]);
    }
    server.close();
  });

  test.each([
    ['a field of 70 KB', `x-large: ${'x'.repeat(70_000)}\r\n`],
    ['fields of 70 KB', `x-large: ${'x'.repeat(999)}\r\n`.repeat(70)],
    ['a folded field', 'x-folded: one\r\n two\r\n'],
    ['a field without a name', ': nothing\r\n'],
    ['a second length', 'content-length: 3\r\n'],
  ])('%s: 502, which is tried again like any other', async (_name, fields) => {
    let connections = 0;
    const { url, server } = await rude((socket) => {
      // Before the field that says how long the body is, and behind it.
      const [first, ...others] = head.split(/(?<=\n)/);
      const isBehind = connections++ % 2 === 1;
      socket.write(`${isBehind ? head + fields : first + fields + others.join('')}\r\n{}`);
    });
    for (const path of ['/v1/chat/completions', '/v1/proxy/chat/completions']) {
      const answer = await at(url, { retry: { attempts: 1 } }, path);
      expect([answer.status, answer.json.error.code]).toEqual([502, 'provider_answer_unreadable']);
    }
    expect(connections).toBe(4);
    server.close();
  });

  test('a connection that is reset: 500, and the next target is called', async () => {
    const { url, server } = await rude((socket) => socket.resetAndDestroy());
    expect((await at(url)).status).toBe(500);
    world.provider.play(fine);
    const answer = await world.call({
      config: {
        strategy: { mode: 'fallback' },
        targets: [{ provider: 'openai', api_key: 'k', custom_host: url }, { provider: `@${world.slug}` }],
      },
      body: { model: 'm' },
    });
    expect([answer.status, world.provider.requests.length]).toEqual([200, 1]);
    server.close();
  });

  test.each([
    ['with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun'],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\n'],
  ])(
    'an answer %s that breaks in the middle breaks for the caller, and is not tried again',
    async (_name, words) => {
      let connections = 0;
      const { url, server } = await rude((socket) => {
        connections++;
        socket.write(words, () => setTimeout(() => socket.resetAndDestroy(), 20));
      });
      const config = { retry: { attempts: 3, on_status_codes: [200, 500] }, provider: 'openai' };
      const plain = { retry: { attempts: 3, on_status_codes: [500] }, provider: config.provider };
      await expect(at(url, plain)).rejects.toThrow(/aborted|hang up|reset|ECONNRESET/i);
      expect(connections).toBe(1);
      server.close();
    },
  );

  test('answers before the answer are for the gateway alone', async () => {
    const { url, server } = await rude((socket) =>
      socket.write(
        'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
      ),
    );
    const answer = await at(url);
    expect([answer.status, answer.text, answer.headers.link]).toEqual([200, '{}', undefined]);
    server.close();
  });

  test('an answer that a provider breaks off does not harm other calls', async () => {
    const { url, server } = await rude((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx', () => socket.destroy()),
    );
    world.provider.play(fine);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? at(url) : world.call())),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? 'rejected' : 'fulfilled')),
    );
    server.close();
  });
});
