import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createGraphHttp,
  createSafety,
  createSubscriptions,
  defaultSafety,
  type GraphHttp,
  type Subscriptions,
} from '../../../src/graph/index.ts';
import { until } from '../../support/subscriptions.ts';
import { smallContext, smallGraph } from '../small-graph.ts';

const context = smallContext();
let tick = () => {};
let authenticated: () => Promise<void> = async () => undefined;

async function* ticks() {
  for (;;) {
    const next = new Promise<void>((resolve) => {
      tick = resolve;
    });
    await next;
    yield 1;
  }
}

const graph = smallGraph({
  sdl: 'type Query { one: Int } type Subscription { tick: Int }',
  resolvers: { Query: { one: () => 1 }, Subscription: { tick: ticks } },
});
const safety = createSafety({ ...defaultSafety, timeout: 200 });
const door = {
  graph,
  safety,
  authenticate: async () => {
    await authenticated();
    return context.principal;
  },
  createContext: () => ({ ...context, request: { ...context.request }, memo: new Map() }),
  log: context.log,
};
let subscriptions: Subscriptions;
let http: GraphHttp;
let server: Server;
let port: number;

beforeAll(async () => {
  subscriptions = createSubscriptions(door);
  http = createGraphHttp({ ...door, streams: subscriptions.streams });
  await http.start();
  server = createServer(http.handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  await subscriptions.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await http.stop();
});

const address = '/graphql/stream?query=subscription{tick}';
const hello = `GET ${address} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n`;

describe('an event stream', () => {
  it.each([
    ['opened by an address', ''],
    ['whose body nobody reads', 'content-type: text/plain\r\ncontent-length: 9\r\n'],
  ])('%s outlives the time that a body has', async (_what, headers) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(`${hello}${headers}\r\n`);
    await until(() => subscriptions.open() === 1);
    const late = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // Its time begins later than that of the stream, and is over when this answers.
      body: new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{')) }),
      duplex: 'half',
    } as RequestInit);
    expect(late.status).toBe(408);
    tick();
    await until(() => answer.includes('{"data":{"tick":1}}'));
    socket.destroy();
    await until(() => subscriptions.open() === 0);
  });

  it('is not begun for a client that left while its credential was looked up', async () => {
    const socket = connect(port, '127.0.0.1');
    const left = new Promise<void>((resolve) => {
      server.once('connection', (connection) => connection.once('close', resolve));
    });
    const asked = new Promise<void>((resolve) => {
      authenticated = () => {
        resolve();
        authenticated = async () => undefined;
        return left;
      };
    });
    socket.write(`${hello}\r\n`);
    await asked;
    socket.destroy();
    await left;
    const stays = new AbortController();
    await fetch(`http://127.0.0.1:${port}${address}`, { signal: stays.signal });
    await until(() => subscriptions.open() > 0);
    expect(subscriptions.open()).toBe(1);
    stays.abort();
    await until(() => subscriptions.open() === 0);
  });
});
