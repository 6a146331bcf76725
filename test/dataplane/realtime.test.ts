import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { WebSocket } from 'ws';
import { createBudget, type Share } from '../../src/dataplane/realtime/memory-budget.ts';
import {
  type RealtimeProvider,
  sessionCreated,
  startRealtimeProvider,
} from '../support/realtime-provider.ts';
import { created, STORED_KEY, startWorld, until, type World } from '../support/world.ts';

let world: World;
let provider: RealtimeProvider;
let slug: string;
/** Milliseconds by which the gateway's clock is ahead. */
let ahead = 0;

beforeAll(async () => {
  const now = () => new Date(Date.now() + ahead);
  [world, provider] = await Promise.all([startWorld({}, undefined, now), startRealtimeProvider()]);
  slug = await world.makeProvider({ configurations: { custom_host: provider.url } });
});
afterAll(() => provider.stop());

const address = (query: string) =>
  `${world.app.url.replace('http', 'ws')}/v1/realtime${query && `?${query}`}`;
const withKey = (headers: Record<string, string> = {}) => ({
  headers: { 'x-gateway-api-key': world.app.workspaceKey, ...headers },
});

/** Both ends of a session through the gateway, the greeting read. */
async function session(headers: Record<string, string> = {}, query = `model=@${slug}/gpt-realtime`) {
  const opened = provider.session();
  const caller = new WebSocket(address(query), withKey(headers));
  const greeting = once(caller, 'message');
  const [end] = await Promise.all([opened, once(caller, 'open')]);
  await greeting;
  return { caller, provider: end.socket, request: end.request };
}

/** The answer to an opening that is refused. */
function refused(
  query: string,
  options: ReturnType<typeof withKey> = withKey(),
): Promise<{ status: number; json: any }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address(query), options);
    socket.on('unexpected-response', async (_request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ status: response.statusCode ?? 0, json: text === '' ? null : JSON.parse(text) });
    });
    socket.on('open', () => reject(new Error('The session was opened.')));
    socket.on('error', reject);
  });
}

const closing = async (socket: WebSocket): Promise<[number, string]> => {
  const [code, reason] = await once(socket, 'close');
  return [code as number, String(reason)];
};

const usage = (input: number, output: number) => ({
  total_tokens: input + output,
  input_tokens: input,
  output_tokens: output,
  input_token_details: { text_tokens: input, audio_tokens: 0, cached_tokens: 0 },
});

const realtimeLogs = async () => {
  await world.app.logged();
  return world.app.db.collection('logs').find({ endpoint: 'realtime' }).sort({ createdAt: 1 }).toArray();
};

describe('the official clients, which insist on wss', () => {
  const withoutTls = () => connect(Number(new URL(world.app.url).port), '127.0.0.1');
  const { WebSocket: browserWebSocket } = globalThis;
  beforeAll(() => {
    globalThis.WebSocket = class extends browserWebSocket {
      constructor(url: string | URL, protocols?: ConstructorParameters<typeof browserWebSocket>[1]) {
        super(String(url).replace(/^wss/, 'ws'), protocols);
      }
    };
  });
  afterAll(() => {
    globalThis.WebSocket = browserWebSocket;
  });
  const client = () =>
    new OpenAI({
      baseURL: `${world.app.url}/v1`,
      apiKey: world.app.workspaceKey,
      dangerouslyAllowBrowser: true,
    });

  test('over Node’s WebSocket: events both ways, one log with the tokens of all responses', async () => {
    const opened = provider.session();
    const realtime = new OpenAIRealtimeWS(
      { model: `@${slug}/gpt-realtime`, options: { createConnection: withoutTls } },
      client(),
    );
    const seen: string[] = [];
    realtime.on('event', ({ type }) => seen.push(type));
    const { socket, request } = await opened;
    expect(request.url).toBe('/v1/realtime?model=gpt-realtime');
    expect(request.headers.authorization).toBe(`Bearer ${STORED_KEY}`);
    expect(JSON.stringify(request.headers)).not.toContain(world.app.workspaceKey);
    await until(() => seen.length === 1);
    const asked = once(socket, 'message');
    realtime.send({ type: 'response.create' });
    expect(JSON.parse(String((await asked)[0]))).toEqual({ type: 'response.create' });
    for (const counts of [usage(10, 5), usage(20, 7)])
      socket.send(JSON.stringify({ type: 'response.done', response: { id: 'resp_1', usage: counts } }));
    await until(() => seen.length === 3);
    expect(seen).toEqual(['session.created', 'response.done', 'response.done']);
    const closed = closing(socket);
    realtime.close({ code: 1000, reason: 'done' });
    expect(await closed).toEqual([1000, 'done']);
    const log = await until(async () => (await realtimeLogs())[0]);
    expect(log).toMatchObject({
      responseStatusCode: 101,
      isSuccess: true,
      aiModel: 'gpt-realtime',
      promptTokens: 30,
      totalTokens: 42,
      costNanodollars: expect.any(Number),
    });
    const { body: stored } = await world.app.rest('GET', `/v1/logs/${log?._id}`);
    expect((stored as any).response.body).toMatchObject({
      id: 'sess_1',
      responses: 2,
      closed_by: 'caller',
    });
  });

  test('in a browser, which sends its key among the subprotocols', async () => {
    const opened = provider.session();
    const realtime = new OpenAIRealtimeWebSocket({ model: `@${slug}/gpt-realtime` }, client());
    const greeted = new Promise((resolve) => realtime.on('session.created', resolve));
    const { request } = await opened;
    expect(await greeted).toEqual(sessionCreated);
    expect(request.headers['sec-websocket-protocol']).toBe('realtime');
    expect(JSON.stringify(request.rawHeaders)).not.toContain(world.app.workspaceKey);
    realtime.close();
  });
});

test('frames pass as they are, text and binary, in their order', async () => {
  const { caller, provider: end } = await session();
  const sent: [Buffer, boolean][] = [
    [Buffer.from('{"type":"a"}'), false],
    [Buffer.from([0, 1, 254, 255]), true],
    [Buffer.from('not JSON at all'), false],
    [Buffer.alloc(300_000, 7), true],
  ];
  for (const [from, to] of [
    [caller, end],
    [end, caller],
  ] as const) {
    const got: [string, boolean][] = [];
    to.on('message', (data, isBinary) => got.push([(data as Buffer).toString('base64'), isBinary]));
    for (const [data, binary] of sent) from.send(data, { binary });
    await until(() => got.length === sent.length);
    expect(got).toEqual(sent.map(([data, isBinary]) => [data.toString('base64'), isBinary]));
  }
  caller.close();
});

test.each([
  ['a code and a reason', [4001, 'enough'], [4001, 'enough']],
  ['the normal code', [1000, ''], [1000, '']],
  ['no code at all', [], [1005, '']],
] as [string, [number?, string?], [number, string]][])(
  'a close with %s reaches the other side',
  async (_name, close, expected) => {
    for (const by of ['caller', 'provider'] as const) {
      const both = await session();
      const other = closing(both[by === 'caller' ? 'provider' : 'caller']);
      both[by].close(...close);
      expect([by, await other]).toEqual([by, expected]);
    }
  },
);

test('a connection that breaks closes the other side', async () => {
  const first = await session();
  const told = closing(first.caller);
  first.provider.terminate();
  expect(await told).toEqual([1011, 'The connection to the provider was lost.']);
  const second = await session();
  const closed = closing(second.provider);
  second.caller.terminate();
  expect(await closed).toEqual([1005, '']);
  await world.app.logged();
  expect(
    (await realtimeLogs()).some(({ error, isSuccess }) => !isSuccess && /closed without a word/.test(error)),
  ).toBe(true);
});

test('a stored key that the provider quotes in an error is masked in the log', async () => {
  // Of no form by which it would be known as a key.
  const key = 'the-credential-of-a-private-server';
  const own = await world.makeProvider({ key, configurations: { custom_host: provider.url } });
  const { caller, provider: end } = await session({}, `model=@${own}/gpt-realtime`);
  const closed = closing(caller);
  end.send(JSON.stringify({ type: 'error', error: { message: `No such key: ${key}` } }));
  end.close(1000);
  await closed;
  const log = await until(async () =>
    (await realtimeLogs()).find(({ providerSlug }) => providerSlug === own),
  );
  const { body } = await world.app.rest('GET', `/v1/logs/${log?._id}`);
  expect(JSON.stringify(body)).toContain('No such key: [redacted]');
  expect(JSON.stringify([log, body])).not.toContain(key);
});

test('a message beyond the bound closes the session and reaches nobody', async () => {
  const { caller, provider: end } = await session();
  let reached = 0;
  end.on('message', () => reached++);
  const [mine, theirs] = [closing(caller), closing(end)];
  caller.on('error', () => undefined);
  caller.send(Buffer.alloc(24 * 1024 * 1024 + 1));
  expect([(await mine)[0], (await theirs)[0], reached]).toEqual([1009, 1005, 0]);
});

describe('bytes of messages on their way are bounded', () => {
  const MIB = 1024 * 1024;
  /** All of a binary message but its last byte, as one frame. */
  const begun = (size: number, byMasking: boolean) => {
    const frame = Buffer.alloc(14 + size - 1);
    frame.writeUInt16BE(byMasking ? 0x82ff : 0x827f);
    frame.writeBigUInt64BE(BigInt(size), 2);
    return byMasking ? frame : frame.subarray(0, 10 + size - 1);
  };
  /** Sessions of a key of their own; ends with all of them closed. */
  async function withSessions(
    count: number,
    use: (sessions: Awaited<ReturnType<typeof session>>[]) => Promise<void>,
  ) {
    const { key } = await created(world.app, '/v1/api-keys/workspace/service', {
      name: 'realtime',
      scopes: ['completions.write'],
    });
    const sessions: Awaited<ReturnType<typeof session>>[] = [];
    for (let index = 0; index < count; index++) sessions.push(await session({ 'x-gateway-api-key': key }));
    await use(sessions);
    for (const { caller } of sessions) caller.terminate();
  }
  const lastLog = async (error: RegExp) =>
    until(async () => {
      const logs = await realtimeLogs();
      return logs.find((log) => error.test(log.error));
    });

  test.each([
    ['begun by callers', 'caller'],
    ['begun by providers', 'provider'],
  ] as const)('those %s: the session with most of them ends, its neighbours go on', async (_name, side) => {
    await withSessions(4, async (sessions) => {
      const closed: number[] = [];
      for (const [index, { caller }] of sessions.entries())
        caller.once('close', (code) => closed.push(index, code));
      const write = (index: number, size: number) => {
        const socket = sessions[index]?.[side] as unknown as { _socket: Duplex };
        socket._socket.write(begun(size, side === 'caller'));
      };
      // Of 64 MiB; whatever comes last, the second session has the most by then.
      for (const [index, size] of [14, 23, 14, 14].entries()) write(index, size * MIB);
      await until(() => closed.length > 0);
      expect(closed).toEqual([1, 1009]);
      const other = sessions[0] as (typeof sessions)[0];
      const [to, from] = side === 'caller' ? [other.caller, other.provider] : [other.provider, other.caller];
      const told = once(to, 'message');
      from.send('still here');
      expect(String((await told)[0])).toBe('still here');
      expect(await lastLog(/Too many bytes of messages are on their way/)).toMatchObject({
        isSuccess: false,
        responseStatusCode: 101,
      });
    });
  });

  test('those that a provider does not take', async () => {
    await withSessions(4, async (sessions) => {
      const closings = sessions.map(({ caller }) => closing(caller));
      for (const { caller, provider: end } of sessions) {
        end.pause();
        caller.send(Buffer.alloc(23 * MIB));
      }
      expect((await Promise.race(closings))[0]).toBe(1009);
    });
  });

  test('of all credentials together, and beside that of sessions that are being closed', () => {
    const budget = createBudget({ ofAll: 100, ofOne: 40, closing: 30 });
    const ends: [string, boolean][] = [];
    const enter = (credential: string, name: string) =>
      budget.enter({ credential, organisationId: 'one' }, (atOnce) => ends.push([name, atOnce]));
    const shares = ['a', 'b', 'c', 'd'].map((credential) => enter(credential, `first of ${credential}`));
    const [a, b, c, d] = shares as [Share, Share, Share, Share];
    a.set(30);
    b.set(25);
    c.set(24);
    enter('c', 'second of c').set(17);
    expect(ends.splice(0)).toEqual([['first of c', false]]);
    d.set(20);
    d.set(29);
    expect(ends.splice(0)).toEqual([['first of a', true]]);
    a.leave();
    c.leave();
    b.set(39);
    d.set(40);
    expect(ends.splice(0)).toEqual([]);
    enter('e', 'of e').set(5);
    expect(ends.splice(0)).toEqual([['first of d', true]]);
  });

  test('an organisation that holds most pays for it with its own sessions, however many keys it has', () => {
    const budget = createBudget({ ofAll: 100, ofOne: 40, closing: 90 });
    const ends: string[] = [];
    const enter = (organisationId: string, credential: string) =>
      budget.enter({ credential, organisationId }, () => ends.push(credential));
    for (const each of ['a', 'b', 'c', 'd', 'e']) enter('crowd', each).set(15);
    enter('neighbour', 'alone').set(30);
    expect(ends).toHaveLength(1);
    expect(ends).not.toContain('alone');
  });

  test('a message that does not come to its end closes the session', async () => {
    await withSessions(1, async ([only]) => {
      const { caller, provider: end } = only as Awaited<ReturnType<typeof session>>;
      const closed = [closing(caller), closing(end)];
      caller.send('{"type":', { fin: false });
      caller.ping();
      const late = setInterval(() => (ahead += 61_000), 20);
      const reason = 'A message took too long to come to its end.';
      expect(await Promise.all(closed)).toEqual([
        [1008, reason],
        [1008, reason],
      ]);
      clearInterval(late);
      expect(await lastLog(/took too long/)).toMatchObject({ isSuccess: false });
    });
  });
});

test('a side that does not read holds the other back', async () => {
  const { caller, provider: end } = await session();
  caller.pause();
  const count = 48;
  for (let index = 0; index < count; index++) end.send(Buffer.alloc(1024 * 1024, index));
  for (let index = 0; index < 20; index++) await world.call({ method: 'GET', path: '/v1/models' });
  expect(end.bufferedAmount).toBeGreaterThan(0);
  const got: number[] = [];
  caller.on('message', (data) => got.push((data as Buffer)[0] ?? -1));
  caller.resume();
  await until(() => got.length === count);
  expect(got).toEqual(Array.from({ length: count }, (_, index) => index));
  caller.close();
});

describe('what the provider is sent', () => {
  test('its query unchanged but for the model, headers that were asked for, nothing of the gateway’s', async () => {
    const { caller, request } = await session(
      {
        'x-gateway-provider': `@${slug}`,
        'openai-beta': 'realtime=v1',
        'x-gateway-forward-headers': 'x-mine',
        'x-mine': 'yes',
        cookie: 'a=b',
      },
      'intent=transcription&x=%20y',
    );
    expect(request.url).toBe('/v1/realtime?intent=transcription&x=%20y');
    expect(request.headers).toMatchObject({ 'openai-beta': 'realtime=v1', 'x-mine': 'yes' });
    expect(
      Object.keys(request.headers).filter((name) =>
        /^(x-gateway|cookie|sec-websocket-extensions)/.test(name),
      ),
    ).toEqual(['x-gateway-hops']);
    caller.close();
  });

  test.each([
    'x=1&model=MODEL&%6dodel=bad',
    'x=1&model=MODEL&model=bad',
    'deployment=MODEL&x=1&Deployment=bad&MODEL=bad',
    'model=MODEL&x=1&deployment=bad',
  ])('one model, the one that was allowed, for %s', async (query) => {
    const restricted = await world.makeProvider({ configurations: { custom_host: provider.url } });
    await world.app.rest('PUT', `/v1/integrations/${restricted}/models`, {
      body: { models: [{ slug: 'ok', enabled: true }], allow_all_models: false },
    });
    const { caller, request } = await session({}, query.replace('MODEL', `@${restricted}/ok`));
    expect(request.url).toBe('/v1/realtime?model=ok&x=1');
    caller.close();
    const other = await refused(query.replace('MODEL', `@${restricted}/bad`));
    expect([other.status, other.json.error.code]).toEqual([403, 'forbidden']);
  });

  test('the config’s credential, host and model', async () => {
    const config = {
      strategy: { mode: 'single' },
      targets: [
        {
          provider: 'openai',
          api_key: 'sk-of-the-config-00000',
          custom_host: provider.url,
          override_params: { model: 'gpt-realtime-mini' },
        },
      ],
    };
    const { caller, request } = await session(
      { 'x-gateway-config': JSON.stringify(config) },
      'model=gpt-realtime',
    );
    expect([request.url, request.headers.authorization]).toEqual([
      '/v1/realtime?model=gpt-realtime-mini',
      'Bearer sk-of-the-config-00000',
    ]);
    caller.close();
  });

  test('a model of the config’s default_params, where the query names none', async () => {
    const config = JSON.stringify({ default_params: { model: `@${slug}/gpt-realtime-mini` } });
    for (const [query, expected] of [
      ['x=1', 'model=gpt-realtime-mini&x=1'],
      [`model=@${slug}/gpt-realtime`, 'model=gpt-realtime'],
    ]) {
      const { caller, request } = await session({ 'x-gateway-config': config }, query);
      expect(request.url).toBe(`/v1/realtime?${expected}`);
      caller.close();
    }
    const restricted = await world.makeProvider();
    await world.app.rest('PUT', `/v1/integrations/${restricted}/models`, {
      body: { models: [{ slug: 'ok', enabled: true }], allow_all_models: false },
    });
    const bad = JSON.stringify({ default_params: { model: `@${restricted}/bad` } });
    const answer = await refused('x=1', withKey({ 'x-gateway-config': bad }));
    expect([answer.status, answer.json.error.param]).toEqual([403, 'config.default_params.model']);
  });

  test('the answer to the opening carries the gateway’s headers', async () => {
    const socket = new WebSocket(address(`model=@${slug}/m`), withKey({ 'x-gateway-trace-id': 'trace-rt' }));
    const [response] = await once(socket, 'upgrade');
    expect(response.headers).toMatchObject({
      'x-gateway-trace-id': 'trace-rt',
      'x-gateway-provider': 'openai',
    });
    socket.close();
  });
});

describe('an opening that fails is answered over HTTP', () => {
  const config = (value: object) => withKey({ 'x-gateway-config': JSON.stringify(value) });

  test.each([
    ['without a key', () => refused('model=m', { headers: {} } as never), 401, 'invalid_api_key'],
    [
      'with a wrong key',
      () => refused('model=m', withKey({ 'x-gateway-api-key': 'sl-none' })),
      401,
      'invalid_api_key',
    ],
    [
      'with an organisation key',
      () => refused('model=m', withKey({ 'x-gateway-api-key': world.app.adminKey })),
      403,
      'forbidden',
    ],
    ['without a provider', () => refused('model=m'), 400, 'provider_required'],
    ['with an unknown provider', () => refused('model=@none/m'), 400, 'unknown_provider'],
    [
      'at a provider without sessions',
      () => refused('model=m', withKey({ 'x-gateway-provider': 'groq' })),
      400,
      'unsupported_endpoint',
    ],
    ['at the provider in this process', () => refused('model=@mock/mock-1'), 400, 'unsupported_endpoint'],
    [
      'at a host that is forbidden',
      () =>
        refused(
          'model=m',
          withKey({ 'x-gateway-provider': 'openai', 'x-gateway-custom-host': 'http://169.254.169.254/v1' }),
        ),
      400,
      'invalid_custom_host',
    ],
    [
      'with a choice of providers',
      () =>
        refused(
          '',
          config({
            strategy: { mode: 'fallback' },
            targets: [{ provider: `@${slug}` }, { provider: `@${slug}` }],
          }),
        ),
      400,
      'invalid_config',
    ],
    [
      'at a host that does not answer',
      () =>
        refused(
          'model=m',
          withKey({ 'x-gateway-provider': 'openai', 'x-gateway-custom-host': 'http://127.0.0.1:59/v1' }),
        ),
      503,
      'provider_unreachable',
    ],
    [
      'with too many subprotocols',
      () => refused('model=m', withKey({ 'sec-websocket-protocol': 'abcdefghijklmn'.split('').join(',') })),
      400,
      null,
    ],
  ] as [string, () => ReturnType<typeof refused>, number, string | null][])(
    '%s',
    async (_name, open, status, code) => {
      const before = provider.opened();
      const answer = await open();
      expect([answer.status, answer.json.error.code, provider.opened() - before]).toEqual([status, code, 0]);
      expect(answer.json.error.message).toMatch(/\w+ \w+/);
    },
  );

  test.each([
    [
      'an error of the provider keeps status and body',
      'HTTP/1.1 403 Forbidden\r\ncontent-length: 33\r\n\r\n{"error":{"message":"No access."}}'.replace(
        '33',
        '34',
      ),
      403,
      'No access.',
    ],
    [
      'an error in HTML becomes one that programs can read',
      'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 6\r\n\r\n<html>',
      502,
      'openai answered 502 without a message.',
    ],
    [
      'a redirect is not followed',
      'HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n',
      500,
      'openai answered 302 without a message.',
    ],
  ])('%s', async (_name, response, status, message) => {
    provider.answerWith((socket) => socket.end(response));
    const answer = await refused(`model=@${slug}/m`);
    provider.answerWith(null);
    expect([answer.status, answer.json.error.message]).toEqual([status, message]);
  });

  test.each([
    ['not at all', () => undefined],
    [
      'with a refusal that never ends',
      (socket: Duplex) => socket.write('HTTP/1.1 429 Too Many Requests\r\ncontent-length: 99\r\n\r\n{'),
    ],
  ])('a provider that answers %s is given up after the request timeout', async (_name, answer) => {
    provider.answerWith(answer);
    const { status, json } = await refused(
      `model=@${slug}/m`,
      withKey({ 'x-gateway-request-timeout': '40' }),
    );
    provider.answerWith(null);
    expect([status, json.error.type]).toEqual([408, 'timeout_error']);
    const wrong = await refused(`model=@${slug}/m`, withKey({ 'x-gateway-request-timeout': '-1' }));
    expect([wrong.status, wrong.json.error.param]).toEqual([400, 'x-gateway-request-timeout']);
  });

  test('a plain request is told what the path takes', async () => {
    const answer = await world.call({
      method: 'GET',
      path: '/v1/realtime',
      headers: { 'x-gateway-provider': `@${slug}` },
    });
    expect([answer.status, answer.json.error.code]).toEqual([426, 'upgrade_required']);
  });
});

test('one credential has at most 100 sessions, and gets places back', async () => {
  const neighbour = await world.app.createTenant();
  const headers = {
    'x-gateway-api-key': neighbour.workspaceKey,
    'x-gateway-config': JSON.stringify({
      provider: 'openai',
      api_key: 'sk-0123456789',
      custom_host: provider.url,
    }),
  };
  const open = () => {
    const socket = new WebSocket(address('model=m'), { headers });
    return once(socket, 'open').then(() => socket);
  };
  const sockets = await Promise.all(Array.from({ length: 100 }, open));
  expect((await refused('model=m', { headers })).status).toBe(429);
  const closed = closing(sockets[0] as WebSocket);
  sockets[0]?.close();
  await closed;
  sockets[0] = (await until(() => open().catch(() => null))) as WebSocket;
  for (const socket of sockets) socket.terminate();
});

test('a key that is deleted loses its sessions, as does one whose provider is gone', async () => {
  const key = await created(world.app, '/v1/api-keys/workspace/service', {
    name: 'to be deleted',
    scopes: ['completions.write'],
  });
  const gone = await world.makeProvider({ configurations: { custom_host: provider.url } });
  const [first, second] = [
    await session({ 'x-gateway-api-key': key.key }),
    await session({}, `model=@${gone}/gpt-realtime`),
  ];
  const ends = [first, second].flatMap(({ caller, provider: end }) => [closing(caller), closing(end)]);
  await world.app.rest('DELETE', `/v1/api-keys/${key.id}`);
  await world.app.rest('DELETE', `/v1/providers/${gone}`);
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([1008, 1008, 1008, 1008]);
});

test('a stop closes both sides', async () => {
  const { caller, provider: end } = await session();
  const ends = [closing(caller), closing(end)];
  await world.stop();
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([1001, 1001]);
});
