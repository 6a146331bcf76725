import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chatAnswer, json } from '../../support/provider.ts';
import { type CallOptions, messages, startWorld, type World } from '../../support/world.ts';

let world: World;
const LIMIT = 64 * 1024;

beforeAll(async () => {
  world = await startWorld({ MAX_BODY_BYTES: String(LIMIT), MAX_REPLAY_BYTES: '1024' });
});
afterAll(() => world.stop());

const send = async (options: CallOptions) => {
  world.provider.play(json(200, chatAnswer('ok')));
  return world.call({ ...options, headers: { 'x-gateway-provider': `@${world.slug}`, ...options.headers } });
};

const unified = ['/v1/chat/completions', '/v1/completions', '/v1/embeddings'];

test.each([
  ['nothing', '', 400],
  ['broken JSON', '{"model":', 400],
  ['two values', '{}{}', 400],
  ['an array', '[]', 400],
  ['a string', '"text"', 400],
  ['null', 'null', 400],
  ['a number', '7', 400],
])('a unified route refuses %s as body', async (_name, body, status) => {
  for (const path of unified) {
    const answer = await send({ path, body });
    expect([path, answer.status, answer.json.error.code]).toEqual([path, status, 'malformed_body']);
    expect(answer.json.status).toBe('failure');
    expect(world.provider.requests).toHaveLength(0);
  }
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  undefined,
])('a unified route refuses the content type %s', async (type) => {
  const answer = await send({ headers: { 'content-type': type }, body: '{"model":"m","messages":[]}' });
  expect([answer.status, answer.json.error.param]).toEqual([400, 'content-type']);
  expect(world.provider.requests).toHaveLength(0);
});

test.each([
  'application/json',
  'APPLICATION/JSON',
  'application/json;charset=UTF-8',
  'application/json ; x=y',
])('a unified route takes the content type %s', async (type) => {
  const answer = await send({ headers: { 'content-type': type }, body: { model: 'm', messages } });
  expect(answer.status).toBe(200);
});

describe('a known route that takes more than JSON', () => {
  const routes = [
    '/v1/audio/transcriptions',
    '/v1/audio/translations',
    '/v1/images/edits',
    '/v1/images/variations',
    '/v1/files',
    '/v1/batches',
    '/v1/fine_tuning/jobs',
  ];
  const sent = async (path: string, type: string | undefined, body = 'x') =>
    send({ path, headers: { 'content-type': type }, body });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/mixed',
    'audiox/wav',
    'image/png',
  ])('refuses the content type %s', async (type) => {
    for (const path of routes) {
      const answer = await sent(path, type);
      expect([path, answer.status, answer.json.status]).toEqual([path, 400, 'failure']);
      expect(answer.json.error.param).toBe('content-type');
      expect(world.provider.requests).toHaveLength(0);
    }
  });

  test.each(['audio/wav', 'Audio/mpeg; codecs=x', 'application/octet-stream', 'application/json', undefined])(
    'takes the content type %s',
    async (type) => {
      for (const path of routes) expect([path, (await sent(path, type)).status]).toEqual([path, 200]);
    },
  );

  test('minds no content type where there is no body', async () => {
    expect((await sent('/v1/batches/b/cancel', 'text/plain', '')).status).toBe(200);
  });

  test.each(['/v1/proxy/files', '/v1/something'])('is not %s, which takes any', async (path) => {
    expect((await sent(path, 'text/plain')).status).toBe(200);
  });
});

test('a body in pieces of a byte is put together', async () => {
  const body = JSON.stringify({ model: 'm', messages, user: 'u'.repeat(3000) });
  world.provider.play(json(200, chatAnswer('ok')));
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      'x-gateway-api-key': world.app.workspaceKey,
      'x-gateway-provider': `@${world.slug}`,
      'content-type': 'application/json',
    };
    const request = httpRequest(`${world.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      agent: false,
    });
    request.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
    for (const byte of body) request.write(byte);
    request.end();
  });
  expect([status, String(world.provider.requests[0]?.body)]).toEqual([200, body]);
});

test('a broken body is closed off from the next request on the connection', async () => {
  for (let count = 0; count < 5; count++) {
    expect((await send({ body: '{' })).status).toBe(400);
    expect((await send({ body: { model: 'm', messages } })).status).toBe(200);
  }
});

test.each([
  ['a unified route', '/v1/chat/completions', 'application/json'],
  ['the proxy, as JSON', '/v1/rerank', 'application/json'],
  ['the proxy, as bytes', '/v1/files', 'audio/wav'],
])('%s refuses a body over the limit by its announced length', async (_name, path, type) => {
  const answer = await send({ path, headers: { 'content-type': type }, body: Buffer.alloc(LIMIT + 1, 32) });
  expect([answer.status, answer.json.error.code]).toEqual([413, 'body_too_large']);
  expect(world.provider.requests).toHaveLength(0);
});

test.each([
  ['JSON', '/v1/chat/completions', 'application/json'],
  ['bytes', '/v1/files', 'audio/wav'],
])('%s of unknown length over the limit are refused', async (_name, path, type) => {
  const answer = await send({
    path,
    headers: { 'content-type': type, 'content-length': undefined, 'transfer-encoding': 'chunked' },
    body: Buffer.alloc(LIMIT * 2, 32),
  });
  expect([answer.status, answer.json?.error.code]).toEqual([413, 'body_too_large']);
  expect(world.provider.requests).toHaveLength(0);
});

test('a body of just the limit passes', async () => {
  const frame = JSON.stringify({ model: 'm', messages, pad: '' });
  const body = JSON.stringify({ model: 'm', messages, pad: 'x'.repeat(LIMIT - frame.length) });
  expect((await send({ body })).status).toBe(200);
  expect(world.provider.requests[0]?.body.length).toBe(LIMIT);
});

test('the answer about a body that is far too large is received, not a broken connection', async () => {
  for (let count = 0; count < 5; count++) {
    const answer = await send({
      headers: { 'content-type': 'application/json' },
      body: Buffer.alloc(8_000_000, 32),
    });
    expect(answer.status).toBe(413);
  }
});

test('JSON nested thousands of levels deep passes unchanged and never breaks the gateway', async () => {
  const deep = `{"model":"m","messages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  expect((await send({ body: deep })).status).toBe(200);
  expect(world.provider.requests[0]?.body.toString()).toBe(deep);
  const config = { default_params: { temperature: 1 } };
  expect((await send({ body: deep, config })).status).toBe(200);
  expect(world.provider.requests[0]?.body.toString()).toBe(deep.replace(/\}$/, ',"temperature":1}'));
  // What says something twice would have to be written anew.
  const twice = await send({ body: deep.replace('{', '{"model":"m",'), config });
  expect([twice.status, twice.json.error.code]).toEqual([400, 'malformed_body']);
});

test.each([0, 1, 1024, 1025])('%i bytes that are not JSON pass on the proxy', async (size) => {
  const body = Buffer.alloc(size, 7);
  const answer = await send({ path: '/v1/files', headers: { 'content-type': 'audio/wav' }, body });
  expect(answer.status).toBe(200);
  expect(world.provider.requests[0]?.body.equals(body)).toBe(true);
});

test('a body too large to keep is sent once: no retry, no fallback', async () => {
  world.provider.play(json(503, { error: 'busy' }));
  const call = (size: number) =>
    world.call({
      path: '/v1/files',
      headers: { 'content-type': 'audio/wav' },
      body: Buffer.alloc(size),
      config: {
        strategy: { mode: 'fallback' },
        targets: [{ provider: `@${world.slug}` }, { provider: `@${world.slug}` }],
      },
    });
  expect((await call(1024)).status).toBe(503);
  expect(world.provider.requests).toHaveLength(2);
  world.provider.play(json(503, { error: 'busy' }));
  expect((await call(1025)).status).toBe(503);
  expect(world.provider.requests).toHaveLength(1);
});
