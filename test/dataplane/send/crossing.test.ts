import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { recordsOf } from '../../support/records.ts';
import { type CallOptions, messages, startWorld, type World } from '../../support/world.ts';

/** A provider that answers the first request of each connection, and treats later ones as the test says. */
let server: Server;
let connections: number;
let requests: number;
let treatLater: (socket: Socket) => void;
let treatFirst: (socket: Socket) => void;
let world: World;

const ANSWER =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 22\r\n\r\n{"object":"an answer"}';
const answered = (socket: Socket) => void socket.write(ANSWER);

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

beforeEach(async () => {
  [connections, requests, treatFirst] = [0, 0, answered];
  server = createServer((socket) => {
    connections++;
    let isFirst = true;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      // Bodies are short enough to come with their heads or right behind them.
      if (!/^(GET|POST|PUT|DELETE) /.test(String(chunk))) return;
      requests++;
      if (isFirst) treatFirst(socket);
      else treatLater(socket);
      isFirst = false;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => void server.close());

async function ask(options: CallOptions = {}, provider = 'openai') {
  const { port } = server.address() as { port: number };
  const config = { provider, api_key: 'k', custom_host: `http://127.0.0.1:${port}/v1` };
  const { method = 'POST', headers } = options;
  const body = options.body ?? (method === 'POST' || method === 'PUT' ? { model: 'm', messages } : undefined);
  const answer = await world.call({ ...options, config, body, headers });
  return [answer.status, answer.headers['x-gateway-retry-attempt-count']];
}

const closings: [string, (socket: Socket) => void][] = [
  ['closes', (socket) => void socket.end()],
  ['is gone', (socket) => void socket.destroy()],
  ['resets', (socket) => void socket.resetAndDestroy()],
];

test.each(closings)(
  'a provider that %s as the next request comes is asked over a new connection',
  async (name, treat) => {
    treatLater = treat;
    const headers = { 'x-gateway-trace-id': `crossing: ${name}` };
    expect(await ask()).toEqual([200, '0']);
    expect(await ask({ headers })).toEqual([200, '0']);
    expect([connections, requests]).toEqual([2, 3]);
    const records = await recordsOf(world.app, { traceId: headers['x-gateway-trace-id'] });
    expect(
      records.map(({ retryAttemptCount, responseStatusCode }) => [retryAttemptCount, responseStatusCode]),
    ).toEqual([[0, 200]]);
  },
);

test.each<[string, CallOptions]>([
  ['GET', { method: 'GET' }],
  ['PUT', { method: 'PUT' }],
  ['DELETE', { method: 'DELETE' }],
  ['POST with a key of idempotency', { headers: { 'idempotency-key': 'once' } }],
])('so it is for a %s that is passed on', async (_name, options) => {
  treatLater = (socket) => void socket.destroy();
  for (const each of [1, 2])
    expect([each, ...(await ask({ path: '/v1/things', ...options }))]).toEqual([each, 200, '0']);
  expect([connections, requests]).toEqual([2, 3]);
});

test.each<[string, CallOptions]>([
  ['POST that may make something', { path: '/v1/things' }],
  [
    'body that is a stream',
    {
      path: '/v1/things',
      method: 'PUT',
      headers: { 'transfer-encoding': 'chunked', 'content-length': undefined, 'content-type': 'text/plain' },
      body: 'text',
    },
  ],
])('a %s is sent once', async (_name, options) => {
  treatLater = (socket) => void socket.destroy();
  expect(await ask(options)).toEqual([200, '0']);
  expect(await ask(options)).toEqual([500, '0']);
  expect([connections, requests]).toEqual([1, 2]);
});

test.each<[string, (socket: Socket) => void]>([
  ['began to answer', (socket) => void socket.end('HTTP/1.1 2')],
  ['sent an interim answer', (socket) => void socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ['worked on it for a while', (socket) => void sleep(1200).then(() => socket.destroy())],
])('a provider that %s is not asked again', async (_name, treat) => {
  treatLater = treat;
  expect(await ask()).toEqual([200, '0']);
  expect(await ask()).toEqual([500, '0']);
  expect([connections, requests]).toEqual([1, 2]);
});

test('nor is one that breaks a new connection', async () => {
  treatFirst = (socket) => void socket.destroy();
  expect(await ask()).toEqual([500, '0']);
  expect([connections, requests]).toEqual([1, 1]);
});

test.each(closings)('one that %s is asked again in its own dialect too', async (_name, treat) => {
  treatLater = treat;
  const first = await ask({}, 'cohere');
  expect(await ask({}, 'cohere')).toEqual(first);
  expect([connections, requests]).toEqual([2, 3]);
});

test('a second connection that breaks ends the attempt', async () => {
  treatLater = (socket) => void socket.destroy();
  expect(await ask()).toEqual([200, '0']);
  treatFirst = treatLater;
  expect(await ask()).toEqual([500, '0']);
  expect([connections, requests]).toEqual([2, 3]);
});

test('a caller that hangs up meanwhile, or a timeout, ends it as ever', async () => {
  treatLater = (socket) => void socket.destroy();
  expect(await ask()).toEqual([200, '0']);
  treatFirst = () => undefined;
  const headers = { 'x-gateway-request-timeout': '200' };
  expect(await ask({ headers })).toEqual([408, '0']);
});
