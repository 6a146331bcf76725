import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../src/errors/index.ts';
import { createSafety, defaultSafety, type Safety } from '../../src/graph/index.ts';
import { openDoor, type SmallDoor } from './small-door.ts';
import { smallContext, smallGraph, somebody } from './small-graph.ts';

let changes = 0;
const graph = smallGraph({
  sdl: `type Query { me: String @authenticated echo(text: String): String }
    type Mutation { change: Int @authenticated }`,
  resolvers: {
    Query: { me: (_parent, _args, { principal }) => principal?.name, echo: (_parent, { text }) => text },
    Mutation: { change: () => ++changes },
  },
});
const context = smallContext();

let running: SmallDoor | null = null;
let origin = '';

async function start(safety?: Safety): Promise<void> {
  running = await openDoor(graph, context, {
    ...(safety && { safety }),
    authenticate: async ({ headers }) => {
      if (headers.authorization === 'Bearer bad') throw new GatewayError('UNAUTHENTICATED');
      return somebody();
    },
  });
  ({ origin } = running);
}

afterEach(async () => {
  await running?.stop();
  running = null;
});

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const named = (hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash: hash } });

async function answerOf(response: Response) {
  const body = (await response.json()) as any;
  return { status: response.status, data: body.data, code: body.errors?.[0]?.extensions?.code };
}

const post = async (body: object) =>
  answerOf(
    await fetch(`${origin}/graphql`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  );

const get = (
  parameters: Record<string, string>,
  headers: Record<string, string> = { 'apollo-require-preflight': '1' },
) => fetch(`${origin}/graphql?${new URLSearchParams(parameters)}`, { headers });

const me = '{ me }';
const echo = 'query Echo($text: String) { echo(text: $text) }';

describe('automatic persisted queries', () => {
  it('are asked for once by text and then by hash, over POST and GET', async () => {
    await start();
    const hash = hashOf(echo);
    const variables = { text: 'hi' };
    const unknown = { status: 200, data: undefined, code: 'PERSISTED_QUERY_NOT_FOUND' };
    const known = { status: 200, data: { echo: 'hi' }, code: undefined };
    expect(await post({ extensions: named(hash), variables })).toEqual(unknown);
    expect(await post({ query: echo, extensions: named(hash), variables })).toEqual(known);
    expect(await post({ extensions: named(hash), variables })).toEqual(known);
    const got = await get({ extensions: JSON.stringify(named(hash)), variables: JSON.stringify(variables) });
    expect(got.headers.get('cache-control')).toBe('no-store');
    expect(await answerOf(got)).toEqual(known);
  });

  it('are not kept when they are not valid', async () => {
    await start();
    const hash = hashOf('{ nothing }');
    expect(await post({ query: '{ nothing }', extensions: named(hash) })).toMatchObject({ status: 400 });
    expect(await post({ extensions: named(hash) })).toMatchObject({ code: 'PERSISTED_QUERY_NOT_FOUND' });
  });

  it.each([
    ['a hash of another text', { query: me, extensions: named(hashOf(echo)) }],
    ['a hash that is none', { query: me, extensions: named({}) }],
    ['another version', { query: me, extensions: named(hashOf(me), 2) }],
    ['no version', { query: me, extensions: { persistedQuery: true } }],
    ['a text for extensions', { query: me, extensions: 'persistedQuery' }],
  ])('refuse %s', async (_what, body) => {
    await start();
    expect(await post(body)).toEqual({ status: 400, data: undefined, code: 'BAD_REQUEST' });
  });

  it('change nothing over GET', async () => {
    await start();
    const change = 'mutation { change }';
    const hash = hashOf(change);
    expect(await post({ query: change, extensions: named(hash) })).toMatchObject({ status: 200 });
    const before = changes;
    const refused = await get({ extensions: JSON.stringify(named(hash)) });
    expect(refused.headers.get('allow')).toBe('POST');
    expect(await answerOf(refused)).toMatchObject({ status: 405, code: 'BAD_REQUEST' });
    expect((await get({ extensions: JSON.stringify(named(hash)) }, {})).status).toBe(400);
    expect(changes).toBe(before);
  });
});

const trust = (documents: object, schema: typeof graph.schema | null = graph.schema) =>
  createSafety(defaultSafety, { manifest: JSON.stringify(documents), schema });
const byHash = (...texts: string[]) => Object.fromEntries(texts.map((text) => [hashOf(text), text]));

describe('trusted documents', () => {
  it('may stand in the file with the name of the digest in front, as graphql-codegen writes them', async () => {
    await start(trust({ [`sha256:${hashOf(me)}`]: me }));
    const mine = { status: 200, data: { me: 'Test key' }, code: undefined };
    expect(await post({ documentId: hashOf(me) })).toEqual(mine);
    expect(await post({ documentId: `sha256:${hashOf(me)}` })).toEqual(mine);
    expect(() => trust({ [`sha256:${hashOf(echo)}`]: me })).toThrow('is not the SHA-256');
  });

  it('run by hash, by document id and as they are written, over POST and GET', async () => {
    await start(trust(byHash(me, echo)));
    const mine = { status: 200, data: { me: 'Test key' }, code: undefined };
    expect(await post({ extensions: named(hashOf(me)) })).toEqual(mine);
    expect(await post({ documentId: hashOf(me) })).toEqual(mine);
    expect(await post({ documentId: `sha256:${hashOf(me)}` })).toEqual(mine);
    expect(await post({ query: me })).toEqual(mine);
    const variables = JSON.stringify({ text: 'hi' });
    const asked: Record<string, string>[] = [
      { documentId: hashOf(echo), variables },
      { extensions: JSON.stringify(named(hashOf(echo))), variables },
    ];
    for (const parameters of asked) {
      expect(await answerOf(await get(parameters))).toMatchObject({ status: 200, data: { echo: 'hi' } });
    }
  });

  it('may be named as Apollo tools name them', async () => {
    const operations = [{ id: 'echo-1', name: 'Echo', type: 'query', body: echo }];
    await start(trust({ format: 'apollo-persisted-query-manifest', version: 1, operations }));
    expect(await post({ documentId: 'echo-1', variables: { text: 'x' } })).toMatchObject({
      data: { echo: 'x' },
    });
  });

  it('are all that runs', async () => {
    await start(trust(byHash(echo)));
    const introspection = '{ __schema { queryType { name } } }';
    for (const body of [
      { query: me },
      { query: introspection },
      { query: `${echo} ` },
      { query: me, extensions: named(hashOf(me)) },
      { query: me, extensions: named(hashOf(echo)) },
      { query: me, documentId: hashOf(echo) },
      { query: [echo] },
      { extensions: named(hashOf(me)) },
      { extensions: named(null) },
      { extensions: 1 },
      { documentId: hashOf(me) },
      { documentId: '__proto__' },
      { documentId: null },
      { documentId: { a: 1 } },
    ]) {
      expect([body, await post(body)]).toEqual([
        body,
        { status: 400, data: undefined, code: 'DOCUMENT_NOT_TRUSTED' },
      ]);
    }
    const asked: Record<string, string>[] = [
      { query: me },
      { documentId: 'x' },
      { extensions: '{' },
      { query: me, documentId: hashOf(echo) },
    ];
    for (const parameters of asked) {
      expect(await answerOf(await get(parameters))).toMatchObject({
        status: 400,
        code: 'DOCUMENT_NOT_TRUSTED',
      });
    }
    expect(await post([{ query: me }])).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  });

  it('leave the page for browsers and the protection against foreign pages as they are', async () => {
    await start(trust(byHash(me)));
    const page = await fetch(`${origin}/graphql`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toMatch(/html/);
    expect(await (await get({ documentId: hashOf(me) }, {})).text()).toMatch(/CSRF/);
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '{', /not JSON/],
    ['a list', '[]', /TRUSTED_DOCUMENTS/],
    ['a name that is no hash', '{"one": "{ me }"}', /one is not the SHA-256/],
    ['the hash of another text', JSON.stringify({ [hashOf(echo)]: me }), /is not the SHA-256/],
    [
      'a text that does not parse',
      JSON.stringify(byHash('{ me')),
      new RegExp(`${hashOf('{ me')}: Syntax Error`),
    ],
    ['a field that does not exist', JSON.stringify(byHash('{ nothing }')), /Cannot query field "nothing"/],
    ['what is over a limit', JSON.stringify(byHash(`{ ${'me '.repeat(21)} }`)), /21 root fields/],
    [
      'a format of a later time',
      '{"format": "apollo-persisted-query-manifest", "version": 2, "operations": []}',
      /version/,
    ],
  ])('refuse to start with %s', (_what, manifest, mistake) => {
    expect(() => createSafety(defaultSafety, { manifest, schema: graph.schema })).toThrow(mistake);
  });

  it('hold on doors without Apollo Server', () => {
    const safety = trust(byHash(me));
    expect(safety.admit(graph.schema, { query: '', extensions: named(hashOf(me)) })).toHaveProperty(
      'document',
    );
    expect(safety.admit(graph.schema, { documentId: hashOf(me) })).toHaveProperty('document');
    expect(safety.admit(graph.schema, { query: echo })).toMatchObject([
      { originalError: { code: 'DOCUMENT_NOT_TRUSTED' } },
    ]);
  });
});
