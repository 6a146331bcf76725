import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { type LocalRemote, serveRemote, subgraphHandler } from '../../support/local-remote.ts';

// Generous: another process, or many compositions, on a machine that may be busy.
jest.setTimeout(120_000);

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])';
const sdl = `${link}
  type Workspace @key(fields: "id") { id: ID! size: Int! tags: [Tag!]! budget: Budget }
  type Tag { name: String! }
  type Budget { limit: Int! }
  type Query { greeting: String! }`;

const wellBehaved: Handler = subgraphHandler(sdl, {
  Workspace: { size: () => 7, tags: () => [{ name: 'a' }] },
  Query: { greeting: () => 'Hello' },
});

let answerSdl: Handler;
let answerQuery: Handler;
let remote: LocalRemote;
let app: TestApp;

const json =
  (body: unknown, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

beforeAll(async () => {
  answerSdl = json({ data: { _service: { sdl } } });
  answerQuery = wellBehaved;
  remote = await serveRemote((request, response) => {
    const isPoll = request.headers['x-request-id'] === undefined;
    (isPoll ? answerSdl : answerQuery)(request, response);
  });
  app = await startApp({
    REMOTE_SUBGRAPH_POLL_MS: '50',
    REMOTE_SUBGRAPHS: JSON.stringify([{ name: 'tags', url: remote.url, timeout_ms: 3000 }]),
  });
});
afterAll(async () => {
  await app.stop();
  await remote.stop();
});
beforeEach(() => {
  answerQuery = wellBehaved;
});

const query = '{ workspaces { data { name size tags { name } } } greeting }';
const whole = {
  workspaces: { data: [{ name: 'Default workspace', size: 7, tags: [{ name: 'a' }] }] },
  greeting: 'Hello',
};
const ours = {
  workspaces: { data: [{ name: 'Default workspace', size: null, tags: null }] },
  greeting: null,
};

const drip: Handler = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 50);
  response.once('close', () => clearInterval(timer));
};

const hostile: [string, Handler, string][] = [
  ['nothing at all', () => undefined, 'SUBGRAPH_UNAVAILABLE'],
  ['its answer drop by drop', drip, 'SUBGRAPH_UNAVAILABLE'],
  ['a closed connection', ({ socket }) => void socket.destroy(), 'SUBGRAPH_UNAVAILABLE'],
  ['text that is no JSON', json('<html>secret</html>'), 'SUBGRAPH_UNAVAILABLE'],
  [
    'half an answer',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"data":', () => response.destroy());
    },
    'SUBGRAPH_UNAVAILABLE',
  ],
  ['JSON that is no GraphQL answer', json([1, 2]), 'SUBGRAPH_UNAVAILABLE'],
  ['an empty object', json({}), 'SUBGRAPH_UNAVAILABLE'],
  ['an error page', json('Bad gateway', 502), 'SUBGRAPH_UNAVAILABLE'],
  ['errors that are none', json({ errors: 'secret' }), 'SUBGRAPH_UNAVAILABLE'],
  [
    'more than anybody reads',
    json(`{"data": {"greeting": "${'x'.repeat(17 * 1024 * 1024)}"}}`),
    'SUBGRAPH_UNAVAILABLE',
  ],
  [
    'a list where an object belongs',
    json({ data: { _entities: {}, greeting: ['secret'] } }),
    'SUBGRAPH_ERROR',
  ],
  [
    'other entities than were asked for',
    json({ data: { _entities: [1, 'secret', null], greeting: { a: 1 } } }),
    'SUBGRAPH_ERROR',
  ],
  ['data without anything in it', json({ data: {} }), 'SUBGRAPH_ERROR'],
  [
    'null where its schema has none',
    json({ data: { greeting: null, _entities: [{ __typename: 'Workspace', size: 'many', tags: [null] }] } }),
    'SUBGRAPH_ERROR',
  ],
];

describe('a remote subgraph that answers', () => {
  it.each([
    ['with the path of the field', ['_entities', 0, 'size']],
    ['with the path of an object', ['_entities', 0, 'budget']],
    ['with a path below an object', ['_entities', 0, 'budget', 'limit']],
    ['with the path of the entity', ['_entities', 0]],
    ['with the path of the list', ['_entities']],
    ['without a path', undefined],
  ])('null for an entity, and an error %s, tells the error', async (_how, path) => {
    const error = { message: 'The budget is locked.', path, extensions: { code: 'LOCKED' } };
    answerQuery = json({ data: { _entities: [null], greeting: 'Hello' }, errors: [error] });
    const { data, errors } = await app.graphql('{ workspaces { data { name size budget { limit } } } }');
    expect(data).toEqual({ workspaces: { data: [{ name: 'Default workspace', size: null, budget: null }] } });
    const told = { message: 'The budget is locked.', extensions: { code: 'LOCKED', subgraph: 'tags' } };
    expect(errors).toMatchObject([
      { ...told, path: ['workspaces', 'data', 0, 'size'] },
      { ...told, path: ['workspaces', 'data', 0, 'budget'] },
    ]);
  });

  it.each(hostile)('%s leaves our own data intact', async (_what, handler, code) => {
    answerQuery = handler;
    const { status, data, errors = [] } = await app.graphql(query);
    expect({ status, data }).toEqual({ status: 200, data: ours });
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set([code]));
    expect(new Set(errors.map(({ extensions }) => extensions.subgraph))).toEqual(new Set(['tags']));
    expect(JSON.stringify(errors)).not.toMatch(/secret|127\.0\.0\.1|_entities|stack/);
    answerQuery = wellBehaved;
    expect((await app.graphql(query)).data).toEqual(whole);
  });

  it('with a redirect is not followed', async () => {
    let followed = false;
    const elsewhere = await serveRemote((_request, response) => {
      followed = true;
      response.end();
    });
    answerQuery = (_request, response) => {
      response.writeHead(307, { location: elsewhere.url });
      response.end();
    };
    const { data, errors } = await app.graphql('{ greeting }');
    await elsewhere.stop();
    expect(data).toEqual({ greeting: null });
    expect(errors).toMatchObject([{ path: ['greeting'], extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }]);
    expect(followed).toBe(false);
  });

  it('with errors beyond measure gives the first hundred, each cut, without secrets', async () => {
    const message = `sk-0123456789abcdef0123 ${'x'.repeat(5000)}`;
    const errors = Array.from({ length: 1000 }, () => ({
      message,
      path: ['greeting'],
      extensions: { code: 'a b', http: { status: 500 } },
    }));
    answerQuery = json({ data: null, errors });
    const answer = await app.graphql('{ greeting }');
    expect(answer.status).toBe(200);
    expect(answer.errors).toHaveLength(100);
    for (const error of answer.errors ?? []) {
      expect(error.message.length).toBeLessThanOrEqual(1000);
      expect(error).toMatchObject({ path: ['greeting'], extensions: { code: 'SUBGRAPH_ERROR' } });
    }
    expect(JSON.stringify(answer.errors)).not.toMatch(/sk-0123|"status":500/);
  });

  it('after the client left is no longer waited for', async () => {
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    answerQuery = (request) => {
      request.socket.once('close', () => left.resolve());
      asked.resolve();
    };
    const client = new AbortController();
    const call = fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': app.adminKey },
      body: JSON.stringify({ query: '{ greeting }' }),
      signal: client.signal,
    });
    await asked.promise;
    client.abort();
    await expect(call).rejects.toThrow();
    await left.promise;
  });

  it('an operation of ours alone is not asked', async () => {
    let asked = 0;
    answerQuery = (request, response) => {
      asked += 1;
      wellBehaved(request, response);
    };
    expect((await app.graphql('{ workspaces { data { name } } __typename }')).errors).toBeUndefined();
    expect((await app.rest('GET', '/v1/configs')).status).toBe(200);
    expect(asked).toBe(0);
  });
});

describe('the SDL of a remote subgraph', () => {
  const state = async () => ((await app.rest('GET', '/readyz')).body as { subgraphs: object }).subgraphs;
  const offer = async (text: string, expected: string) => {
    answerSdl = json({ data: { _service: { sdl: text } } });
    await eventually(async () => expect(await state()).toEqual({ tags: expected }));
  };
  const refused: [string, string][] = [
    ['is no GraphQL', 'type {'],
    ['does not compose', `${link} type Query { a: Nothing }`],
    ['takes over what is ours', `${link} type Query { workspaces: Int }`],
    ['is too large', `${sdl}\n# ${'x'.repeat(1024 * 1024)}`],
  ];

  it.each(refused)('is left out when it %s; the last good one stays', async (_what, text) => {
    answerSdl = json({ data: { _service: { sdl: text } } });
    await eventually(async () => expect(await state()).not.toEqual({ tags: 'up' }));
    expect((await app.graphql(query)).data).toEqual(whole);
    expect((await app.rest('GET', '/readyz')).status).toBe(200);
    await offer(sdl, 'up');
  });

  it('may use directives of its own, tags and the older federation', async () => {
    await offer(
      `directive @mine on FIELD_DEFINITION extend type Workspace @key(fields: "id") { id: ID! @external size: Int! @mine }
       type Query { greeting: String! _service: _Service! } type _Service { sdl: String }`,
      'up',
    );
    const { data, errors } = await app.graphql('{ workspaces { data { size } } greeting }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({ workspaces: { data: [{ size: 7 }] }, greeting: 'Hello' });
    await offer(sdl, 'up');
  });
});

describe('GET /supergraph.graphql', () => {
  const get = (options: { key?: string | null }, method = 'GET') =>
    app.rest(method, '/supergraph.graphql', options);

  it('is for credentials that may read the settings of the organisation', async () => {
    const { status, body, headers } = await get({ key: app.adminKey });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(body).toMatch(/enum join__Graph[\s\S]*IDENTITY[\s\S]*TAGS/);
    expect(await get({ key: null })).toMatchObject({ status: 401, body: { error: { code: 'AB05' } } });
    expect(await get({ key: 'sl-wrong' })).toMatchObject({ status: 401, body: { error: { code: 'AB05' } } });
    expect(await get({ key: app.workspaceKey })).toMatchObject({
      status: 403,
      body: { error: { code: 'AB03' } },
    });
    const post = await get({ key: app.adminKey }, 'POST');
    expect(post).toMatchObject({ status: 405, body: { error: { code: 'AB01' } } });
    expect(post.headers.get('allow')).toBe('GET, HEAD');
  });
});
