import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../../src/errors/index.ts';
import { createSafety, createSubscriptions, type Subscriptions } from '../../../src/graph/index.ts';
import { perRequest } from '../../../src/subgraphs/context.ts';
import { socketClient } from '../../support/subscriptions.ts';
import { smallContext, smallGraph, somebody } from '../small-graph.ts';

let loads = 0;
let onWait: (signal: AbortSignal | undefined) => void = () => undefined;
/** Made once a request, as a loader is. */
const load = perRequest(() => ++loads);

async function* threeEvents() {
  yield { number: 1 };
  yield { number: 2 };
  yield { number: 3 };
}

const graph = smallGraph({
  sdl: `type Query { a: Int wait: Int }
    type Subscription {
      counted: Event! @access(anyOf: ["configs.read"])
      refused: Event! @access(anyOf: ["configs.delete"])
      short(text: String! @constraint(maxLength: 3)): Event!
      broken: Event!
    }
    type Event { number: Int loads: Int loadsAgain: Int broken: Int }`,
  resolvers: {
    Query: {
      a: () => 1,
      wait: (_parent, _args, { signal }) => {
        onWait(signal);
        return new Promise(() => undefined);
      },
    },
    Subscription: {
      counted: threeEvents,
      refused: threeEvents,
      short: threeEvents,
      broken: () => {
        throw new Error('mongodb://user:secret@db');
      },
    },
    Event: {
      loads: (_event, _args, context) => load(context),
      loadsAgain: (_event, _args, context) => load(context),
      broken: () => {
        throw new Error('mongodb://user:secret@db');
      },
    },
  },
});

const context = smallContext();
let subscriptions: Subscriptions;
let server: Server;
let url: string;

beforeAll(async () => {
  subscriptions = createSubscriptions({
    graph,
    safety: createSafety(),
    authenticate: async ({ headers }) => {
      if (headers['x-gateway-api-key'] !== 'good') throw new GatewayError('UNAUTHENTICATED');
      return somebody();
    },
    createContext: (principal) => ({ ...context, principal, memo: new Map() }),
    log: context.log,
  });
  server = createServer().on('upgrade', subscriptions.handleUpgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await subscriptions.stop();
  await new Promise((resolve) => server.close(resolve));
});

async function all(query: string) {
  const client = socketClient(url, 'good');
  const results = client.subscribe(query);
  const seen = [];
  for (let next = await results.next(); next; next = await results.next()) seen.push(next);
  client.close();
  return seen;
}

describe('a field of the root type Subscription', () => {
  it('has what its resolver gives out as its value, each with loaders of its own', async () => {
    const seen = await all('subscription { counted { number loads loadsAgain } }');
    expect(seen).toEqual(
      [1, 2, 3].map((number) => ({ data: { counted: { number, loads: number, loadsAgain: number } } })),
    );
  });

  it.each([
    ['its scope', 'subscription { refused { number } }', 'FORBIDDEN', null],
    ['its bounds', 'subscription { short(text: "long") { number } }', 'VALIDATION_FAILED', 'text'],
  ])('is subject to %s', async (_what, query, code, param) => {
    const [{ errors, data } = {}] = await all(query);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code, ...(param && { param }) } }]);
  });

  it.each([
    ['in subscribing', 'subscription { broken { number } }', 1],
    ['in an event', 'subscription { counted { number broken } }', 3],
  ])('keeps defects %s private, and logs them', async (_what, query, count) => {
    context.recorded.logged.length = 0;
    const seen = await all(query);
    expect(seen).toHaveLength(count);
    for (const { errors } of seen) expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL' } }]);
    expect(JSON.stringify(seen)).not.toMatch(/secret|stack/);
    expect(context.recorded.logged).toHaveLength(count);
  });

  it('must have a resolver', () => {
    const sdl = 'type Query { a: Int } type Subscription { b: Int }';
    expect(() => smallGraph({ sdl, resolvers: { Query: { a: () => 1 } } })).toThrow(
      /no resolver of Subscription\.b/,
    );
  });

  it('may be declared by several subgraphs', () => {
    const make = (name: string) => ({
      name,
      sdl: `type Query { ${name}: Int } type Subscription { ${name}: Int }`,
      resolvers: { Query: { [name]: () => 1 }, Subscription: { [name]: threeEvents } },
    });
    const fields = smallGraph(make('a'), make('b')).schema.getSubscriptionType()?.getFields() ?? {};
    expect(Object.keys(fields)).toEqual(['a', 'b']);
  });
});

describe('a query over a connection that stays', () => {
  it('is told to stop when its caller leaves', async () => {
    const client = socketClient(url, 'good');
    const running = new Promise<AbortSignal | undefined>((resolve) => {
      onWait = resolve;
    });
    client.subscribe('{ wait }');
    const signal = await running;
    const stopped = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    client.close();
    await stopped;
    expect(signal?.reason).not.toBeInstanceOf(GatewayError);
  });
});
