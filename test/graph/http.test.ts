import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { GatewayError } from '../../src/errors/index.ts';
import { createGraphHttp } from '../../src/graph/index.ts';
import { openDoor, type SmallDoor } from './small-door.ts';
import { smallContext, smallGraph, somebody } from './small-graph.ts';

const graph = smallGraph({
  sdl: `type Query {
      me: String @authenticated
      shorter(text: String! @constraint(maxLength: 3)): String
      missing: String
      broken: String
      time(at: DateTime): DateTime
      self: Self
    }
    type Self { self: Self }`,
  resolvers: {
    Query: {
      me: (_parent, _args, { principal }) => principal?.name,
      shorter: (_parent, { text }) => text,
      missing: () => {
        throw new GatewayError('NOT_FOUND');
      },
      broken: () => {
        throw new Error('mongodb://user:secret@db');
      },
      time: (_parent, { at }) => at,
      self: () => null,
    },
  },
});

const context = smallContext();
let door: SmallDoor;
let origin: string;

beforeAll(async () => {
  door = await openDoor(graph, context, {
    authenticate: async ({ headers }) => {
      if (headers.authorization === 'Bearer good') return somebody();
      if (headers.authorization === 'Bearer down') throw new Error('secret detail');
      if (headers.authorization) throw new GatewayError('UNAUTHENTICATED');
      return null;
    },
  });
  ({ origin } = door);
});

afterAll(() => door.stop());

type GraphAnswer = {
  data?: unknown;
  errors?: { message: string; path?: string[]; extensions: Record<string, unknown> }[];
};

async function post(body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  return {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    body: (await response.json()) as GraphAnswer,
  };
}

/** `{ self { self { __typename } } }` has three levels. */
const deep = (levels: number) => `${'{ self '.repeat(levels - 1)}{ __typename }${' }'.repeat(levels - 1)}`;

const deepFragments = (levels: number) =>
  ['{ self { ...F1 } }']
    .concat(
      Array.from({ length: levels }, (_, at) => `fragment F${at + 1} on Self { self { ...F${at + 2} } }`),
    )
    .concat(`fragment F${levels + 1} on Self { __typename }`)
    .join('\n');

const query = (text: string, headers = {}) => post({ query: text }, headers);

describe('/graphql', () => {
  it('answers who calls, with the request id', async () => {
    expect(await query('{ me }', { authorization: 'Bearer good' })).toEqual({
      status: 200,
      requestId: 'request-1',
      body: { data: { me: 'Test key' } },
    });
  });

  it('answers 401 to a credential that is not valid, before anything runs', async () => {
    expect(await query('{ me }', { authorization: 'Bearer bad' })).toMatchObject({
      status: 401,
      requestId: 'request-1',
      body: { errors: [{ extensions: { code: 'UNAUTHENTICATED', http: { status: 401 } } }] },
    });
  });

  it('takes a GET that no page of another site can send', async () => {
    const get = (headers: Record<string, string>) => fetch(`${origin}/graphql?query={me}`, { headers });
    expect((await get({ authorization: 'Bearer good' })).status).toBe(200);
    expect((await get({ 'x-gateway-api-key': 'any' })).status).toBe(200);
    // A page may set the first without a preflight, and a browser sends the second by itself.
    const plain: Record<string, string>[] = [
      { accept: 'application/graphql-response+json' },
      { authorization: 'Basic Z29vZDo=' },
      {},
    ];
    const statuses = await Promise.all(plain.map(async (headers) => (await get(headers)).status));
    expect(statuses).toEqual([400, 400, 400]);
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('takes no %s, and says what it takes', async (method) => {
    const response = await fetch(`${origin}/graphql`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }] });
  });

  it('lets nobody keep an answer', async () => {
    for (const text of ['{ me }', '{ nothing }', '{ broken }']) {
      const response = await fetch(`${origin}/graphql?query=${encodeURIComponent(text)}`, {
        headers: { 'apollo-require-preflight': 'true' },
      });
      expect((await response.json()) as GraphAnswer).toHaveProperty(text === '{ me }' ? 'data' : 'errors');
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('gives field errors their catalogue name, status and field, beside the data', async () => {
    const { status, body } = await query('{ me missing shorter(text: "long") time }');
    expect(status).toBe(200);
    expect(body.data).toEqual({ me: null, missing: null, shorter: null, time: null });
    expect(body.errors).toMatchObject([
      { path: ['me'], extensions: { code: 'UNAUTHENTICATED', http: { status: 401 } } },
      { path: ['missing'], extensions: { code: 'NOT_FOUND', http: { status: 404 } } },
      { path: ['shorter'], extensions: { code: 'VALIDATION_FAILED', param: 'text' } },
    ]);
  });

  it('keeps defects private and logs them', async () => {
    context.recorded.logged.length = 0;
    const broken = await query('{ broken }');
    const down = await query('{ me }', { authorization: 'Bearer down' });
    expect(down.status).toBe(500);
    for (const { body } of [broken, down]) {
      expect(body.errors).toMatchObject([
        { message: 'Something went wrong inside the gateway.', extensions: { code: 'INTERNAL' } },
      ]);
      expect(JSON.stringify(body)).not.toMatch(/secret|stack/);
    }
    expect(context.recorded.logged).toMatchObject([
      { members: { requestId: 'request-1', path: 'broken' } },
      { members: { requestId: 'request-1' } },
    ]);
  });

  it.each([
    ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ nope }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a bad literal', { query: '{ time(at: "soon") }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['too many tokens', { query: `{ ${'me '.repeat(6000)} }` }, 'GRAPHQL_PARSE_FAILED'],
    ['too deep a nesting', { query: deep(21) }, 'GRAPHQL_VALIDATION_FAILED'],
    ['too deep a nesting of fragments', { query: deepFragments(21) }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a batch', [{ query: '{ me }' }], 'BAD_REQUEST'],
    ['a body that is not JSON', '{"query":', 'MALFORMED_BODY'],
  ])('answers 400 to %s', async (_what, body, code) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { errors: [{ extensions: { code } }] } });
  });

  it('names bad variables', async () => {
    const variables = { at: 'soon' };
    const { status, body } = await post({ query: 'query ($at: DateTime) { time(at: $at) }', variables });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { message: expect.stringContaining('RFC 3339'), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it('bounds the body', async () => {
    expect(await query(`# ${'x'.repeat(1024 * 1024)}\n{ me }`)).toMatchObject({
      status: 413,
      body: { errors: [{ extensions: { code: 'BODY_TOO_LARGE' } }] },
    });
  });

  it('refuses what a foreign page could send', async () => {
    const response = await fetch(`${origin}/graphql?query=%7Bme%7D`);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/CSRF/);
  });

  it('shows browsers the Sandbox', async () => {
    const page = await fetch(`${origin}/graphql`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toMatch(/text\/html/);
    expect(await page.text()).toMatch(/sandbox/i);
  });

  it('takes operations up to the depth limit', async () => {
    expect((await query(deep(20))).status).toBe(200);
    expect((await query(getIntrospectionQuery())).status).toBe(200);
  });

  it('can be introspected', async () => {
    expect((await query('{ __schema { queryType { name } } }')).body.data).toEqual({
      __schema: { queryType: { name: 'Query' } },
    });
  });
});

describe('/explorer', () => {
  it('is a page whose every file comes from here', async () => {
    for (const path of ['/explorer', '/explorer/']) {
      const page = await (await fetch(origin + path)).text();
      expect(page).toContain('<base href="/explorer/">');
      expect(page).toContain('`/graphql`');
      expect(page).not.toMatch(/(src|href)="https?:/);
    }
    for (const file of ['main.js', 'polyfills.js', 'styles.css', 'favicon.ico']) {
      expect((await fetch(`${origin}/explorer/${file}`)).status).toBe(200);
    }
    expect((await fetch(`${origin}/explorer/none.js`)).status).toBe(404);
  });
});

describe('a key of another service in the environment', () => {
  const names = ['APOLLO_KEY', 'APOLLO_GRAPH_REF', 'APOLLO_SCHEMA_REPORTING'];
  afterEach(() => {
    for (const name of names) delete process.env[name];
  });

  it('sends that service no report', async () => {
    Object.assign(process.env, {
      APOLLO_KEY: 'service:graph:key',
      APOLLO_GRAPH_REF: 'graph@current',
      APOLLO_SCHEMA_REPORTING: 'true',
    });
    const { recorded, ...another } = smallContext();
    const door = createGraphHttp({
      graph,
      authenticate: async () => null,
      createContext: () => another,
      log: another.log,
    });
    await door.start();
    await door.stop();
    expect(recorded.logged).toEqual([]);
  });
});
