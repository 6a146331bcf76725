import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  openSubscriptions,
  type SubscriptionClient,
  socketClient,
  until,
} from '../../support/subscriptions.ts';

let app: TestApp;
const sockets: WebSocket[] = [];
const clients: SubscriptionClient[] = [];

beforeAll(async () => {
  app = await startApp();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const socket of sockets.splice(0)) socket.terminate();
  await until(async () => (await openSubscriptions(app.url)) === 0);
});
afterAll(() => app.stop());

type Raw = { socket: WebSocket; closed: Promise<{ code: number; reason: string }>; message(): Promise<any> };

/** A WebSocket without a client library on top. */
async function raw(
  options: { protocol?: string | null; headers?: Record<string, string> } = {},
): Promise<Raw> {
  const { protocol = 'graphql-transport-ws', headers = {} } = options;
  const address = `${app.url.replace('http', 'ws')}/graphql`;
  const socket = new WebSocket(address, protocol === null ? [] : [protocol], { headers });
  sockets.push(socket);
  const waiting: unknown[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    waiting.push(JSON.parse(String(data)));
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    socket,
    closed,
    async message() {
      while (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return waiting.shift();
    },
  };
}

const init = (payload?: object) => JSON.stringify({ type: 'connection_init', payload });
const start = (id: string, query: string, variables = {}) =>
  JSON.stringify({ id, type: 'subscribe', payload: { query, variables } });

async function acknowledged(key = app.workspaceKey): Promise<Raw> {
  const connection = await raw();
  connection.socket.send(init({ 'x-gateway-api-key': key }));
  expect(await connection.message()).toEqual({ type: 'connection_ack' });
  return connection;
}

describe('a connection', () => {
  const places: [string, () => { headers?: Record<string, string>; payload?: object }][] = [
    [
      'as x-gateway-api-key in the first message',
      () => ({ payload: { 'x-gateway-api-key': app.workspaceKey } }),
    ],
    ['as authorization in it', () => ({ payload: { Authorization: `Bearer ${app.workspaceKey}` } })],
    ['in a header', () => ({ headers: { 'x-gateway-api-key': app.workspaceKey } })],
  ];
  it.each(places)('brings its credential %s', async (_what, place) => {
    const { headers = {}, payload } = place();
    const { socket, message } = await raw({ headers });
    socket.send(init(payload));
    expect(await message()).toEqual({ type: 'connection_ack' });
  });

  it.each([
    ['without a credential', undefined],
    ['with an unknown one', { 'x-gateway-api-key': 'sl-unknown' }],
    ['with one that is no text', { 'x-gateway-api-key': { $ne: '' } }],
  ])('is closed with 4401 %s', async (_what, payload) => {
    const { socket, closed } = await raw();
    socket.send(init(payload));
    expect(await closed).toMatchObject({ code: 4401, reason: expect.stringMatching(/API key/) });
  });

  it('takes the aliases of a header in the first message too', async () => {
    const other = await startApp({ HEADER_PREFIX_ALIASES: 'x-other-' });
    const client = new WebSocket(`${other.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const answer = new Promise((resolve) => client.once('message', (data) => resolve(String(data))));
    client.once('open', () => client.send(init({ 'x-other-api-key': other.workspaceKey })));
    expect(await answer).toBe('{"type":"connection_ack"}');
    client.close();
    await other.stop();
  });

  it('is closed when no first message comes', async () => {
    expect((await (await raw()).closed).code).toBe(4408);
  });

  it.each([
    ['another subprotocol', { protocol: 'graphql-ws' }],
    ['no subprotocol', { protocol: null }],
  ])('is closed for %s', async (_what, options) => {
    const connection = await raw(options).catch(() => null);
    // A client may itself end a connection for which no subprotocol was agreed.
    if (connection) expect((await connection.closed).code).toBe(4406);
  });

  it.each(['/', '/v1/realtime/translations', '/graphql/stream', '/graphqls'])(
    'is not taken at %s',
    async (path) => {
      const socket = new WebSocket(`${app.url.replace('http', 'ws')}${path}`, 'graphql-transport-ws');
      const status = await new Promise((resolve) =>
        socket
          .once('unexpected-response', (_request, response) => resolve(response.statusCode))
          .once('error', () => {}),
      );
      expect(status).toBe(404);
      socket.terminate();
    },
  );

  it('that offers another protocol is answered as if it had not', async () => {
    const { port } = new URL(app.url);
    const answer = await exchange(
      Number(port),
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 OK[\s\S]*"status":"ok"/);
  });
});

/** Everything that a server says to some bytes before it closes the connection. */
function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

describe('what a client must not do', () => {
  it.each([
    ['send what is no JSON', '{', 4400],
    ['send a message of an unknown type', '{"type":"drop"}', 4400],
    ['send no object', '[]', 4400],
    ['subscribe without a query', '{"id":"1","type":"subscribe","payload":{}}', 4400],
    ['send the first message twice', '{"type":"connection_init"}', 4429],
    ['send a message that is too large', 'x'.repeat(1024 * 1024 + 1), 1009],
  ])('%s', async (_what, text, code) => {
    const { socket, closed } = await acknowledged();
    socket.send(text);
    expect((await closed).code).toBe(code);
  });

  it('subscribe before the first message', async () => {
    const { socket, closed } = await raw();
    socket.send(start('1', '{ __typename }'));
    expect((await closed).code).toBe(4401);
  });

  it.each([['short'], ['long'.repeat(1000)]])('use an id that is in use: %#', async (id) => {
    const { socket, closed } = await acknowledged();
    socket.send(start(id, 'subscription { logAdded { id } }'));
    socket.send(start(id, 'subscription { logAdded { id } }'));
    expect((await closed).code).toBe(4409);
  });

  it('break the framing', async () => {
    const { port } = new URL(app.url);
    const upgrade = Buffer.from(
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    );
    const frames = [
      [0x81, 0x02, 0x7b, 0x7d],
      [0xff, 0x80, 0, 0, 0, 0],
      [0x83, 0x80, 0, 0, 0, 0],
      [0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28],
      [0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0],
      [0x80, 0x80, 0, 0, 0, 0],
    ];
    for (const bytes of frames) {
      const answer = await exchange(Number(port), Buffer.concat([upgrade, Buffer.from(bytes)]));
      expect(answer).toMatch(/^HTTP\/1.1 101 /);
      // A close frame that says what the matter was: 1002 protocol error, 1007 no text.
      const frame = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1');
      expect([frame[0], frame[1]]).toEqual([0x88, 0x02]);
      expect([1002, 1007]).toContain(frame.readUInt16BE(2));
    }
    expect((await acknowledged()).socket.readyState).toBe(WebSocket.OPEN);
  });

  it('ask for an upgrade that is none', async () => {
    const { port } = new URL(app.url);
    const answer = await exchange(
      Number(port),
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
  });
});

describe('bounds', () => {
  it('a connection has 20 operations at a time', async () => {
    const { socket, message } = await acknowledged();
    for (let id = 1; id <= 20; id++) socket.send(start(String(id), 'subscription { logAdded { id } }'));
    await until(async () => (await openSubscriptions(app.url)) === 20);
    socket.send(start('one too many', 'subscription { logAdded { id } }'));
    expect(await message()).toMatchObject({
      id: 'one too many',
      type: 'error',
      payload: [{ extensions: { code: 'TOO_MANY_SUBSCRIPTIONS' } }],
    });
    socket.send(JSON.stringify({ id: '1', type: 'complete' }));
    await until(async () => (await openSubscriptions(app.url)) === 19);
    socket.send(start('another', '{ __typename }'));
    expect(await message()).toMatchObject({ id: 'another', type: 'next' });
  });

  it('a credential has 100 connections at a time', async () => {
    const connections = await Promise.all(Array.from({ length: 100 }, () => acknowledged()));
    const late = await raw();
    late.socket.send(init({ 'x-gateway-api-key': app.workspaceKey }));
    expect(await late.closed).toMatchObject({ code: 1013, reason: expect.stringMatching(/too many/) });
    await acknowledged(app.adminKey);
    connections[0]?.socket.terminate();
    await until(async () => {
      const { socket, closed, message } = await raw();
      socket.send(init({ 'x-gateway-api-key': app.workspaceKey }));
      return Promise.race([message().then(() => true), closed.then(() => false)]);
    });
  });
});

describe('operations', () => {
  const run = (query: string, variables = {}, key = app.workspaceKey) => {
    const client = socketClient(app.url, key);
    clients.push(client);
    return client.subscribe(query, variables);
  };

  it('may be queries and mutations, under the rules of every door', async () => {
    expect(await run('{ workspace(id: "nobody") { id } }').next()).toMatchObject({
      data: { workspace: null },
      errors: [{ path: ['workspace'], extensions: { code: 'NOT_FOUND', http: { status: 404 } } }],
    });
    const mutation =
      'mutation { createConfig(input: { name: "over a socket", config: { retry: { attempts: 1 } } }) { id } }';
    expect(await run(mutation).next()).toEqual({ data: { createConfig: { id: expect.any(String) } } });
    const entry = await app.db.collection('audit_logs').findOne({ resourceType: 'config', action: 'create' });
    expect(entry).toMatchObject({ uri: '/graphql', outcome: 'success' });
    expect(JSON.stringify(entry)).not.toContain(app.workspaceKey);
  });

  it.each([
    ['a syntax error', '{', {}, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{ nope }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    ['too many tokens', `{ ${'__typename '.repeat(6000)} }`, {}, 'GRAPHQL_PARSE_FAILED'],
    [
      'too deep a nesting',
      `{ __schema { types ${'{ fields { type '.repeat(15)} { name } ${'} }'.repeat(15)} } }`,
      {},
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['no such operation', 'query A { __typename } query B { __typename }', {}, 'BAD_REQUEST'],
  ])('are refused for %s', async (_what, query, variables, code) => {
    await expect(run(query, variables).next()).rejects.toMatchObject([{ extensions: { code } }]);
  });

  it('name bad variables', async () => {
    const result = await run('query ($id: ID!) { workspace(id: $id) { id } }', { id: { a: 1 } }).next();
    expect(result).toMatchObject({
      errors: [{ message: expect.stringContaining('$id'), extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });
});
