import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { chatAnswer, json, type ReceivedRequest } from '../../support/provider.ts';
import { messages, STORED_KEY, startWorld, type World } from '../../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const through = (headers: Record<string, string> = {}) => ({
  'x-gateway-provider': `@${world.slug}`,
  ...headers,
});

const received = () => {
  expect(world.provider.requests).toHaveLength(1);
  return world.provider.requests[0] as ReceivedRequest;
};

test.each(['POST', 'GET', 'PUT', 'DELETE'])('%s reaches any path with its query', async (method) => {
  world.provider.play(json(200, {}));
  const path = '/fine_tuning/jobs/ft%20x/events?limit=2&after=%2Fa+b&empty=&q=%E2%9C%93';
  await world.call({ method, path: `/v1${path}`, headers: through() });
  expect([received().method, received().url]).toEqual([method, `/v1${path}`]);
});

test.each([
  ['PATCH', '/v1/files', 'POST, GET, PUT, DELETE, HEAD, OPTIONS'],
  ['GET', '/v1/chat/completions', 'POST, OPTIONS'],
  ['PUT', '/v1/embeddings', 'POST, OPTIONS'],
  ['POST', '/v1/models', 'GET, HEAD, OPTIONS'],
])('%s %s is refused: that path takes %s', async (method, path, allowed) => {
  world.provider.play(json(200, {}));
  const answer = await world.call({ method, path, headers: through() });
  expect([answer.status, answer.headers.allow]).toEqual([405, allowed]);
  expect(world.provider.requests).toHaveLength(0);
});

test.each([
  ['JSON with odd white space', 'application/json', '{ "b" :1,\n\n"a": [ 1 , 2.50 ] }\t'],
  ['JSON of a vendor type', 'application/vnd.api+json', '[1, 2 ,3]'],
  ['broken JSON', 'application/json', '{"never": ends'],
  ['text', 'text/plain; charset=iso-8859-1', 'text'],
  ['a form', 'application/x-www-form-urlencoded', 'a=1&b=%20&c'],
  ['lines', 'application/x-ndjson', '{"a":1}\n{"a":2}\n'],
  ['nothing', 'application/json', ''],
  ['binary', 'application/octet-stream', randomBytes(70_000)],
])('%s arrives as it was sent', async (_name, contentType, body) => {
  world.provider.play(json(200, {}));
  await world.call({ path: '/v1/thing', headers: through({ 'content-type': contentType }), body });
  expect(received().body.equals(Buffer.from(body))).toBe(true);
  expect(received().headers['content-type']).toBe(contentType);
  expect(received().headers['content-length']).toBe(String(Buffer.from(body).length));
});

test('a chat request that names its provider in a header arrives byte for byte', async () => {
  world.provider.play(json(200, chatAnswer('hi')));
  const body = '{ "model":"gpt-4o",  "messages":[{"role":"user","content":"\\u00e9"}] }';
  await world.call({ headers: through(), body });
  expect(received().body.toString()).toBe(body);
});

test('a multipart upload keeps its boundary and its binary part', async () => {
  world.provider.play(json(200, { id: 'file-1' }));
  const part = randomBytes(50_000);
  const form = new FormData();
  form.set('purpose', 'assistants');
  form.set('file', new Blob([part]), 'weights.bin');
  const request = new Request('http://local/', { method: 'POST', body: form });
  const type = request.headers.get('content-type') ?? '';
  const body = Buffer.from(await request.arrayBuffer());
  const answer = await world.call({
    path: '/v1/files',
    headers: through({ 'content-type': type }),
    body,
  });
  expect(answer.json).toEqual({ id: 'file-1' });
  expect(received().headers['content-type']).toBe(type);
  expect(received().body.equals(body)).toBe(true);
  const parsed = await new Response(received().body, { headers: { 'content-type': type } }).formData();
  expect(Buffer.from(await (parsed.get('file') as Blob).arrayBuffer()).equals(part)).toBe(true);
});

test('headers of the caller arrive, those of this hop and of the gateway do not', async () => {
  world.provider.play(json(200, {}));
  await world.call({
    path: '/v1/thing',
    headers: through({
      'x-custom': 'kept',
      'x_odd.name~': 'kept too',
      accept: 'audio/*',
      'user-agent': 'tests/1',
      cookie: 'a=b',
      connection: 'x-hop, keep-alive',
      'x-hop': 'gone',
      te: 'trailers',
      'proxy-authorization': 'Basic Zm9v',
      expect: '100-continue',
      'x-gateway-trace-id': 'gone',
      'x-gateway-metadata': '{"a":"b"}',
    }),
  });
  expect(received().headers).toMatchObject({
    'x-custom': 'kept',
    'x_odd.name~': 'kept too',
    accept: 'audio/*',
    'user-agent': 'tests/1',
    cookie: 'a=b',
    authorization: `Bearer ${STORED_KEY}`,
    host: new URL(world.provider.url).host,
  });
  const names = Object.keys(received().headers);
  expect(names.filter((name) => /^x-gateway|^x-hop$|^te$|^proxy|^expect$/.test(name))).toEqual([
    'x-gateway-hops',
  ]);
});

test('a unified route sends only its own headers, and what forward-headers names', async () => {
  world.provider.play(json(200, chatAnswer('hi')));
  await world.call({
    headers: {
      'x-custom': 'not named',
      'x-named': 'named',
      cookie: 'session=1',
      'openai-beta': 'assistants=v2',
      'accept-encoding': 'gzip',
      'x-gateway-forward-headers': 'X-Named, authorization, x-gateway-api-key, host',
    },
  });
  expect(received().headers).toMatchObject({ 'x-named': 'named', 'openai-beta': 'assistants=v2' });
  for (const name of ['x-custom', 'cookie', 'accept-encoding', 'x-gateway-api-key'])
    expect(received().headers).not.toHaveProperty(name);
  expect(received().headers.authorization).toBe(`Bearer ${STORED_KEY}`);
});

test.each(['x-gateway-forward-headers', 'a, Metadata-Flavor', '["X-AWS-EC2-Metadata-Token"]'])(
  'the list %j of headers to forward is refused',
  async (list) => {
    world.provider.play(json(200, chatAnswer('hi')));
    const answer = await world.call({ headers: { 'x-gateway-forward-headers': list } });
    expect([answer.status, answer.json.error.param]).toEqual([400, 'x-gateway-forward-headers']);
    expect(world.provider.requests).toHaveLength(0);
  },
);

test('GET carries no content-type and no body', async () => {
  world.provider.play(json(200, {}));
  await world.call({ method: 'GET', path: '/v1/x', headers: through({ 'content-type': 'text/plain' }) });
  expect(received().headers).not.toHaveProperty('content-type');
  expect(received().body).toHaveLength(0);
});

test('the forced passthrough skips the rules of the built-in route', async () => {
  world.provider.play(json(200, chatAnswer('raw')));
  const body = Buffer.from('not even json');
  const answer = await world.call({
    path: '/v1/proxy/chat/completions?raw=1',
    headers: through({ 'content-type': 'text/plain', 'x-custom': 'kept' }),
    body,
  });
  expect(answer.status).toBe(200);
  expect([received().url, received().headers['x-custom'], received().body.toString()]).toEqual([
    '/v1/chat/completions?raw=1',
    'kept',
    'not even json',
  ]);
});

test.each(['GET', 'PUT', 'DELETE'])('the forced passthrough takes %s on a built-in path', async (method) => {
  world.provider.play(json(200, {}));
  const answer = await world.call({ method, path: '/v1/proxy/chat/completions', headers: through() });
  expect([answer.status, received().method]).toEqual([200, method]);
});

test.each([
  ['in its own header', (key: string) => ({ 'x-gateway-api-key': key })],
  ['as bearer', (key: string) => ({ authorization: `Bearer ${key}` })],
  ['in both', (key: string) => ({ 'x-gateway-api-key': key, authorization: `Bearer ${key}` })],
  ['in both, bare', (key: string) => ({ 'x-gateway-api-key': key, authorization: key })],
  ['and in a header of the provider', (key: string) => ({ 'x-gateway-api-key': key, 'x-api-key': key })],
  [
    'and forwarded by name',
    (key: string) => ({
      'x-gateway-api-key': key,
      'api-key': key,
      'x-gateway-forward-headers': 'api-key,authorization',
    }),
  ],
])('the gateway key %s never reaches a provider', async (_name, headersOf) => {
  for (const path of ['/v1/chat/completions', '/v1/rerank', '/v1/proxy/chat/completions']) {
    for (const way of [
      { 'x-gateway-provider': `@${world.slug}` },
      { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': world.provider.url },
    ]) {
      world.provider.play(json(200, chatAnswer('hi')));
      const answer = await world.call({
        path,
        key: null,
        headers: { ...headersOf(world.app.workspaceKey), ...way },
        body: { model: 'm', messages },
      });
      expect(answer.status).toBe(200);
      expect(JSON.stringify(received())).not.toContain(world.app.workspaceKey);
    }
  }
});

test.each(['authorization', 'x-api-key'])(
  'another gateway key, such as the one before a rotation, never reaches a provider in %s',
  async (header) => {
    const other = `sl-${'a'.repeat(43)}`;
    world.provider.play(json(200, {}));
    const answer = await world.call({
      path: '/v1/rerank',
      headers: {
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': world.provider.url,
        [header]: header === 'authorization' ? `Bearer ${other}` : other,
      },
      body: { model: 'm' },
    });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(received())).not.toContain(other);
  },
);

test('no access token reaches a provider beside a gateway key, while tokens of others do', async () => {
  const token = await world.app.token();
  const foreign = await new SignJWT({ aud: 'provider' })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .sign(randomBytes(32));
  world.provider.play(json(200, {}), json(200, {}));
  for (const bearer of [token, foreign]) {
    await world.call({
      path: '/v1/rerank',
      headers: {
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': world.provider.url,
        authorization: `Bearer ${bearer}`,
        'x-copy': bearer,
      },
      body: { model: 'm' },
    });
  }
  const [own, others] = world.provider.requests.map(({ headers }) => JSON.stringify(headers));
  expect(own).not.toContain(token);
  expect(others).toContain(`Bearer ${foreign}`);
});

test.each([
  '/v1/../admin',
  '/v1/files/../../admin',
  '/v1/files/%2e%2e/admin',
  '/v1/files/%2E./admin',
  '/v1/./files',
  '/v1/files/..',
  '/v1/proxy/../x',
  '/v1//../x',
  '/v1/proxy//%2e%2e//x',
  '/v1/files/..%2fadmin',
  '/v1/files%2F..%2Fadmin',
  '/v1/files/..%5cadmin',
  '/v1/a\\..\\b',
])('the path %s goes nowhere', async (path) => {
  world.provider.play(json(200, {}));
  const answer = await raw(`POST ${path} HTTP/1.1`, through({ 'x-gateway-api-key': world.app.workspaceKey }));
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(
    path.includes('\\') ? /The path has a backslash/ : /The path has a segment \. or \.\./,
  );
  expect(world.provider.requests).toHaveLength(0);
});

test.each([
  ['/x//y', '/x//y'],
  ['//x///y//', '//x///y//'],
  ['//evil.example/x', '//evil.example/x'],
  ['/proxy/x//y', '/x//y'],
  ['/proxy//evil.example/x', '//evil.example/x'],
  ['/proxy/https://evil.example/x?y=//z', '/https://evil.example/x?y=//z'],
])('the path %s stays at the provider, empty segments and all', async (path, url) => {
  const { host, origin } = new URL(world.provider.url);
  for (const [base, way] of [
    ['/v1', through()],
    ['', { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': origin }],
  ] as const) {
    world.provider.play(json(200, {}));
    await raw(`POST /v1${path} HTTP/1.1`, { ...way, 'x-gateway-api-key': world.app.workspaceKey });
    expect([received().url, received().headers.host]).toEqual([base + url, host]);
  }
});

test('a redirect from a path that begins with an empty segment stays below the gateway', async () => {
  world.provider.play((_request, response) => {
    response.writeHead(302, { location: '../b' }).end();
  });
  const { origin } = new URL(world.provider.url);
  const answer = await world.call({
    method: 'GET',
    path: '/v1/proxy//evil.example/x/y',
    headers: { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': origin },
  });
  expect([answer.status, answer.headers.location]).toEqual([302, '/v1/proxy//evil.example/b']);
});

test.each(['/v1/files/a..b', '/v1/files/...', '/v1/.well-known/x', '/v1/files/a%2Fb'])(
  'the path %s is an ordinary one',
  async (path) => {
    world.provider.play(json(200, {}));
    await raw(`GET ${path} HTTP/1.1`, through({ 'x-gateway-api-key': world.app.workspaceKey }));
    expect(received().url).toBe(path);
  },
);

/** Sends a request whose path no client library would write, and gives the answer's text. */
async function raw(line: string, headers: Record<string, string>): Promise<string> {
  const { hostname, port } = new URL(world.app.url);
  const socket = connect(Number(port), hostname);
  const lines = [line, 'host: sluice', 'connection: close', 'content-length: 0'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
