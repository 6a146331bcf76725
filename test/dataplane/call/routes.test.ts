import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type InferenceOperation, inferenceOperations } from '../../../src/dataplane/call/operations.ts';
import { routeOf } from '../../../src/dataplane/call/routes.ts';
import type { Endpoint } from '../../../src/providers/index.ts';
import { readSettings } from '../../../src/settings/index.ts';
import { chatAnswer, eventStream, json, type ReceivedRequest, type Script } from '../../support/provider.ts';
import { recordsOf } from '../../support/records.ts';
import { type CallOptions, STORED_KEY, startWorld, type World } from '../../support/world.ts';

/** Whose answers browsers may read. */
const page = 'https://dashboard.example.com';

/** What each path of inference does, a row each; realtime sessions: test/dataplane/realtime.test.ts */
let world: World;
let chatOnly: string;

beforeAll(async () => {
  world = await startWorld({ CORS_ORIGINS: page });
  chatOnly = await world.makeProvider({ ai_provider_id: 'cerebras' });
});
afterAll(() => world.stop());

const at = (slug: string, headers: Record<string, string> = {}) => ({
  'x-gateway-provider': `@${slug}`,
  ...headers,
});

const form = Buffer.from(
  '--b0undary\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--b0undary--\r\n',
);

/** A request of this operation, its path's parameters filled in. */
function requestOf({ method, path, sends }: InferenceOperation): CallOptions & { path: string } {
  const filled = path.replace(/\{\w+\}/g, 'id-1');
  if (sends === 'nothing') return { method, path: `/v1${filled}`, body: null };
  if (sends === 'JSON' || sends === 'anything')
    return { method, path: `/v1${filled}`, body: { model: 'm', messages: [], input: 'x', max_tokens: 1 } };
  return {
    method,
    path: `/v1${filled}`,
    body: form,
    headers: { 'content-type': 'multipart/form-data; boundary=b0undary' },
  };
}

async function send(options: CallOptions, slug = world.slug, script: Script = json(200, chatAnswer('ok'))) {
  world.provider.play(script);
  return world.call({ ...options, headers: { ...at(slug), ...options.headers } });
}

const received = () => {
  expect(world.provider.requests).toHaveLength(1);
  return world.provider.requests[0] as ReceivedRequest;
};

const overHttp = inferenceOperations.filter(({ answers }) => answers !== 'a WebSocket');
const rows = overHttp.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);
const endpointOf = ({ path }: InferenceOperation) => routeOf(path).endpoint;

describe('every path', () => {
  // Of two requests: below.
  const single = rows.filter(([, operation]) => endpointOf(operation) !== 'batchOutput');
  // What is not OpenAI's goes to a provider of chat as chat; test/formats/translations.test.ts
  const own = single.filter(([, operation]) => !['messages', 'countTokens'].includes(endpointOf(operation)));

  test.each(own)('%s reaches a provider that has it', async (_name, operation) => {
    const request = requestOf(operation);
    const answer = await send(request);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'x-gateway-provider': 'openai',
      'x-gateway-retry-attempt-count': '0',
    });
    expect(received()).toMatchObject({ method: operation.method, url: request.path.replace('/proxy/', '/') });
    expect(received().headers).toMatchObject({ authorization: `Bearer ${STORED_KEY}` });
    expect(received().body.length > 0).toBe(operation.sends !== 'nothing');
  });

  // Passed on wherever they are not mapped.
  const everywhere: Endpoint[] = [
    'chatComplete',
    'messages',
    'createResponse',
    'models',
    'rerank',
    'moderate',
    'ocr',
    'proxy',
  ];
  const lacking = rows.filter(([, operation]) => !everywhere.includes(endpointOf(operation)));

  test.each(lacking)('%s is refused for a provider without it, with both named', async (_name, operation) => {
    const request = requestOf(operation);
    const answer = await send(request, chatOnly);
    expect([answer.status, world.provider.requests.length]).toEqual([400, 0]);
    expect(answer.json.error.message).toContain(
      `The provider cerebras has no ${request.path.slice('/v1'.length)}`,
    );
  });

  const others = rows.filter(([, operation]) => everywhere.includes(endpointOf(operation)));

  test.each(others)('%s reaches a provider of chat', async (_name, operation) => {
    expect((await send(requestOf(operation), chatOnly)).status).toBe(200);
    expect(world.provider.requests).toHaveLength(1);
  });

  test.each([
    ['GET', '/v1/chat/completions', 'POST, OPTIONS'],
    ['PUT', '/v1/embeddings', 'POST, OPTIONS'],
    ['HEAD', '/v1/embeddings', 'POST, OPTIONS'],
    ['DELETE', '/v1/images/generations', 'POST, OPTIONS'],
    ['POST', '/v1/batches/b/output', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/realtime', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/v1/files', 'POST, GET, PUT, DELETE, HEAD, OPTIONS'],
  ])('%s %s is answered with what the path takes', async (method, path, allow) => {
    const answer = await send({ method, path, body: {} });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(answer.json.error.code).toBe('method_not_allowed');
  });

  test.each([
    ['/v1/chat/completions', 'POST, OPTIONS'],
    ['/v1/models', 'GET, HEAD, OPTIONS'],
    ['/v1/any/other', 'POST, GET, PUT, DELETE, HEAD, OPTIONS'],
  ])('OPTIONS %s says what it takes, to everybody', async (path, allow) => {
    const answer = await world.call({ method: 'OPTIONS', path, key: null, body: null });
    expect([answer.status, answer.headers.allow, answer.text]).toEqual([204, allow, '']);
  });

  test.each<[path: string, headers: Record<string, string>, status: number]>([
    ['/v1/models', {}, 200],
    ['/v1/models', { 'x-gateway-provider': '@loop-1' }, 200],
    ['/v1/files/f/content', { 'x-gateway-provider': '@loop-1' }, 200],
    ['/v1/any/other', { 'x-gateway-provider': '@nobody' }, 400],
  ])('HEAD %s with %j has the head of what GET answers, and %i', async (path, headers, status) => {
    world.provider.play(json(200, { object: 'list', data: [] }));
    const [get, head] = [
      await world.call({ method: 'GET', path, headers }),
      await world.call({ method: 'HEAD', path, headers, body: null }),
    ];
    expect([get.status, head.status, head.text]).toEqual([status, status, '']);
    expect(Object.keys(head.headers)).toEqual(expect.arrayContaining(['content-type', 'x-gateway-trace-id']));
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    const passedOn = path !== '/v1/models' && status === 200;
    if (passedOn) expect(world.provider.requests.map(({ method }) => method)).toEqual(['GET', 'HEAD']);
  });

  test('HEAD asks for no body, whatever its length', async () => {
    world.provider.play((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': '1000000' });
      response.end();
    });
    for (const path of ['/v1/files/f/content', '/v1/proxy/x', '/v1/files/f/content']) {
      const head = await world.call({ method: 'HEAD', path, headers: at(world.slug), body: null });
      expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '1000000', '']);
    }
    expect(world.provider.requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD', 'HEAD']);
  });

  test('HEAD is tried again, falls back and is recorded as what it is', async () => {
    world.provider.play(
      json(503, { error: 'later' }),
      json(404, {}, { 'content-encoding': 'gzip' }),
      json(200, {}),
    );
    const target = { provider: `@${world.slug}` };
    const head = await world.call({
      method: 'HEAD',
      path: '/v1/some/head?x=1',
      config: {
        strategy: { mode: 'fallback', on_status_codes: [404] },
        targets: [{ ...target, retry: { attempts: 1 } }, target],
      },
      body: null,
    });
    expect([head.status, head.text, head.headers['x-gateway-last-used-option-index']]).toEqual([
      200,
      '',
      'config.targets[1]',
    ]);
    expect(world.provider.requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD', 'HEAD']);
    const records = await recordsOf(world.app, { requestUrl: '/v1/some/head?x=1' });
    expect(records.map(({ requestMethod }) => requestMethod)).toEqual(['HEAD', 'HEAD']);
  });

  test.each(['POST', 'GET', 'PUT', 'DELETE'])('%s on any other path is passed on', async (method) => {
    expect((await send({ method, path: '/v1/some/thing?x=1' })).status).toBe(200);
    expect(received()).toMatchObject({ method, url: '/v1/some/thing?x=1' });
  });

  test('/ greets in plain text, what is not below it is not found', async () => {
    const greeting = await world.call({ method: 'GET', path: '/' });
    expect([greeting.status, greeting.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const nowhere = await world.call({ method: 'GET', path: '/nowhere' });
    expect([nowhere.status, nowhere.json]).toEqual([404, { message: 'Not Found', ok: false }]);
  });
});

describe('pages of other origins', () => {
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-a, x-b' };

  test.each(['/v1/chat/completions', '/v1/configs', '/v2/configs', '/graphql'])(
    'a browser may ask at %s for a page that is allowed, without a key',
    async (path) => {
      const headers = { origin: page, ...preflight };
      const answer = await world.call({ method: 'OPTIONS', path, key: null, body: null, headers });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': page,
        'access-control-allow-headers': 'x-a, x-b',
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
        vary: 'origin',
      });
    },
  );

  test.each([
    ['an answer', 200],
    ['an error', 400],
  ])('%s varies by the page and by what the provider says', async (_what, status) => {
    world.provider.play(json(status, chatAnswer('ok'), { vary: 'accept-encoding' }));
    const answer = await world.call({ headers: { origin: page } });
    expect([answer.status, answer.headers.vary]).toEqual([status, 'accept-encoding, origin']);
  });

  test.each<[what: string, options: CallOptions, status: number]>([
    ['an answer', {}, 200],
    ['a refusal', { key: 'wrong' }, 401],
    ['the administration', { method: 'GET', path: '/v1/configs' }, 200],
  ])('the page reads %s', async (_what, options, status) => {
    world.provider.play(
      json(200, chatAnswer('ok'), { 'access-control-allow-origin': 'https://other.example' }),
    );
    const answer = await world.call({ ...options, headers: { origin: page } });
    expect(answer.status).toBe(status);
    expect(answer.lines.filter(([name]) => name.startsWith('access-control-'))).toEqual([
      ['access-control-allow-origin', page],
      ['access-control-expose-headers', '*'],
    ]);
  });

  test.each([
    ['of another origin', { origin: 'https://evil.example' }],
    ['that is none', {}],
  ])('a caller %s is told nothing, whatever the provider says', async (_what, headers) => {
    world.provider.play(json(200, chatAnswer('ok'), { 'access-control-allow-origin': '*' }));
    for (const options of [{}, { method: 'OPTIONS', body: null }]) {
      const answer = await world.call({ ...options, headers: { ...headers, ...preflight } });
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  test.each(['https://a.example/', 'a.example', 'https://a.example/path', 'null'])(
    'CORS_ORIGINS: %j is no origin',
    (origin) => {
      expect(() => readSettings({ CORS_ORIGINS: origin })).toThrow(/CORS_ORIGINS/);
    },
  );

  test('CORS_ORIGINS may let all in, and lets nobody in by itself', () => {
    expect(readSettings({ CORS_ORIGINS: '*' }).corsOrigins).toEqual(['*']);
    expect(readSettings({}).corsOrigins).toEqual([]);
  });
});

describe('the models of a provider', () => {
  const model = (id: string, rest: object = {}) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'openai',
    ...rest,
  });
  const get = (script: Script, path = '') =>
    send({ method: 'GET', path: `/v1/models${path}` }, world.slug, script);

  test.each([
    [
      'OpenAI’s own list',
      { object: 'list', data: [model('a', { created: 7, owned_by: 'system' })] },
      [model('a', { created: 7, owned_by: 'system' })],
    ],
    ['a bare array', [{ id: 'a', type: 'chat' }], [model('a', { type: 'chat' })]],
    [
      'names in place of ids',
      { models: [{ name: 'a' }, { nothing: 1 }, 'b'] },
      [model('a', { name: 'a' }), model('b')],
    ],
  ])('%s becomes a list in OpenAI’s shape', async (_name, list, data) => {
    const answer = await get(json(200, list, { 'x-request-id': 'r-1' }));
    expect([answer.status, answer.json.object, answer.json.data]).toEqual([200, 'list', data]);
    expect(answer.headers['x-request-id']).toBe('r-1');
  });

  test('errors, and what is no list, stay as they are', async () => {
    expect(await get(json(403, { error: { message: 'No.' } }))).toMatchObject({
      status: 403,
      json: { error: { message: 'No.' } },
    });
    expect((await get(json(200, { odd: true }))).json).toEqual({ odd: true });
  });

  test('one model is asked for by its name', async () => {
    expect((await get(json(200, model('a')), '/a')).json).toEqual(model('a'));
    expect(received().url).toBe('/v1/models/a');
  });
});

describe('files, batches, fine-tuning', () => {
  const output = (script: Script, ...more: Script[]) => {
    world.provider.play(script, ...more);
    return world.call({ method: 'GET', path: '/v1/batches/batch_1/output', headers: at(world.slug) });
  };
  const rows = '{"custom_id":"a"}\n{"custom_id":"b"}\n';

  test('the output of a batch is the rows of its file', async () => {
    const answer = await output(
      json(200, { status: 'completed', output_file_id: 'file-9' }),
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        response.end(rows);
      },
    );
    expect([answer.status, answer.text]).toEqual([200, rows]);
    const [first, second] = world.provider.requests;
    expect([first?.url, second?.url]).toEqual(['/v1/batches/batch_1', '/v1/files/file-9/content']);
    expect(second?.headers.authorization).toBe(`Bearer ${STORED_KEY}`);
  });

  test.each([
    [
      'that is still running',
      json(200, { status: 'in_progress', output_file_id: null }),
      404,
      /its status is in_progress/,
    ],
    [
      'of which every row failed',
      json(200, { status: 'completed', error_file_id: 'file-3' }),
      404,
      /errors are in the file file-3/,
    ],
    ['that is not there', json(404, { error: { message: 'No such batch.' } }), 404, /No such batch/],
  ])('a batch %s has none', async (_name, script, status, message) => {
    const answer = await output(script);
    expect([answer.status, world.provider.requests.length]).toEqual([status, 1]);
    expect(answer.json.error.message).toMatch(message);
  });

  test.each([
    [
      'the provider gateway',
      { method: 'GET', path: '/v1/fine_tuning/jobs', headers: at('x', { 'x-gateway-provider': 'gateway' }) },
    ],
    ['a managed file', { method: 'GET', path: '/v1/files/gw_file_1' }],
    ['a managed batch', { method: 'POST', path: '/v1/batches/gw_batch_1/cancel' }],
    ['a managed input', { path: '/v1/batches', body: { input_file_id: 'gw_file_1' } }],
  ] as [string, CallOptions][])(
    'what the gateway itself would keep or do is refused: %s',
    async (_name, options) => {
      const answer = await send(options);
      expect([answer.status, answer.json.error.code, world.provider.requests.length]).toEqual([
        400,
        'unsupported_endpoint',
        0,
      ]);
    },
  );
});

describe('passthrough', () => {
  // The first byte is that of no JSON, which the gateway would read.
  const bytes = Buffer.concat([Buffer.from([0x52]), randomBytes(300)]);
  const query = '?a=1&b=%2F%20c&a=2&empty=';

  test.each([
    ['/v1/x/y', '/v1/x/y'],
    [`/v1/x/y${query}`, `/v1/x/y${query}`],
    [`/v1/proxy/x/y${query}`, `/v1/x/y${query}`],
    ['/v1/proxy/chat/completions', '/v1/chat/completions'],
    ['/v1/proxy/models', '/v1/models'],
  ])('URL: %s is the provider’s base and %s', async (path, url) => {
    await send({ method: 'GET', path });
    expect(received().url).toBe(url);
  });

  test('headers up: the caller’s, but none of the gateway’s and of this hop, and never its credentials', async () => {
    const headers = {
      'x-mine': '1',
      'user-agent': 'me/1',
      authorization: 'Bearer sk-of-the-caller',
      'x-gateway-metadata': '{}',
      expect: '100-continue',
    };
    await send({ path: '/v1/thing', headers, body: { a: 1 } });
    expect(received().headers).toMatchObject({
      'x-mine': '1',
      'user-agent': 'me/1',
      authorization: `Bearer ${STORED_KEY}`,
    });
    expect(Object.keys(received().headers).filter((name) => /^x-gateway-|^expect$/.test(name))).toEqual([
      'x-gateway-hops',
    ]);
    expect(received().headers.host).toBe(new URL(world.provider.url).host);
    expect(JSON.stringify(received().headers)).not.toContain(world.app.workspaceKey);
  });

  test.each([
    ['JSON, with the config’s parameters', 'application/json', { a: 1 }, '{"a":1,"b":2,"c":3}'],
    ['a form, with the same', 'multipart/form-data; boundary=b0undary', form, null],
    ['audio as bytes', 'audio/wav', bytes, bytes],
    ['anything else as bytes', 'application/x-protobuf', bytes, bytes],
  ] as [string, string, unknown, unknown][])('body: %s', async (_name, type, body, expected) => {
    const config = { default_params: { b: 2 }, override_params: { c: 3 } };
    await send({ path: '/v1/thing', headers: { 'content-type': type }, body, config });
    expect(received().headers['content-type']).toBe(type);
    if (expected !== null) return expect(received().body).toEqual(Buffer.from(expected as string));
    const parsed = await new Response(new Uint8Array(received().body), {
      headers: { 'content-type': type },
    }).formData();
    expect(Object.fromEntries(parsed)).toEqual({ purpose: 'batch', b: '2', c: '3' });
  });

  test.each(['GET', 'DELETE'])('body: none with %s, nor its type with GET', async (method) => {
    await send({ method, path: '/v1/thing', headers: { 'content-type': 'application/json' } });
    expect([received().body.length, received().headers['content-type'] === undefined]).toEqual([
      0,
      method === 'GET',
    ]);
  });

  test('response: status, headers and body as they came, streams included', async () => {
    const odd = await send({ method: 'GET', path: '/v1/thing' }, world.slug, (_request, response) => {
      response.writeHead(418, { 'content-type': 'x/y', 'x-theirs': 'a, b', 'set-cookie': ['c=1', 'd=2'] });
      response.end(bytes);
    });
    expect([
      odd.status,
      odd.headers['content-type'],
      odd.headers['x-theirs'],
      odd.headers['set-cookie'],
    ]).toEqual([418, 'x/y', 'a, b', ['c=1', 'd=2']]);
    expect(odd.body).toEqual(bytes);
    const frames = ['data: 1\n\n', 'event: x\ndata: 2\n\n'];
    expect((await send({ path: '/v1/proxy/chat/completions' }, world.slug, eventStream(frames))).text).toBe(
      frames.join(''),
    );
  });
});
