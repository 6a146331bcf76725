import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ MAX_JSON_BYTES: '20000' });
});
afterAll(() => app.stop());

const NUL = 'a\\u0000b';
const config = (params: string) => `{"name":"c","config":{"provider":"@mock","override_params":${params}}}`;

test.each([
  ['POST', '/v1/configs', config(`{"${NUL}":1}`)],
  ['POST', '/v1/configs', config('{"deep":[{"_bsontype":"ObjectId","id":"z"}]}')],
  ['POST', '/v1/integrations', `{"name":"i","ai_provider_id":"openai","tags":{"${NUL}":"x"}}`],
  ['POST', '/v1/integrations', '{"name":"i","ai_provider_id":"openai","tags":{"_bsontype":"x"}}'],
  ['POST', '/v1/admin/workspaces', `{"name":"w","defaults":{"metadata":{"${NUL}":"x"}}}`],
  [
    'POST',
    '/v1/logs',
    '{"request":{"url":"u","body":{}},"response":{"body":{}},"metadata":{"_bsontype":"x"}}',
  ],
  ['GET', '/v1/admin/workspaces?name=%00', undefined],
  ['GET', '/v1/logs?metadata=%7B%22a%5Cu0000%22%3A%22b%22%7D', undefined],
])('%s %s refuses what the database cannot hold: %s', async (method, path, body) => {
  const key = path.startsWith('/v1/logs') || path === '/v1/configs' ? app.workspaceKey : app.adminKey;
  const answer = await app.rest(method, path, { key, body });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'AB01' } } });
});

test('metadata that the database cannot hold costs no log', async () => {
  const headers = {
    'x-gateway-metadata': '{"_bsontype":"ObjectId","id":"z","team":"ads"}',
    baggage: '_bsontype=Long',
    'x-gateway-trace-id': 'odd-metadata',
  };
  const body = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'hi' }] };
  expect((await app.rest('POST', '/v1/chat/completions', { headers, body })).status).toBe(200);
  await app.logged();
  const record = await app.db.collection('logs').findOne({ traceId: 'odd-metadata' });
  expect(record?.metadata).toEqual({ id: 'z', team: 'ads' });
});

test('JSON above its bound is refused where it would be read', async () => {
  const body = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'x'.repeat(20_000) }] };
  expect((await app.rest('POST', '/v1/chat/completions', { body })).status).toBe(413);
});

test('a long text of almost-secrets is a refusal like any other', async () => {
  const body = { name: 'x', config: { provider: '@nope', override_params: { a: 'eyJ-'.repeat(25_000) } } };
  expect((await app.rest('POST', '/v1/configs', { body })).status).toBe(400);
});

test('a query that asks for the same under many names is refused', async () => {
  const fields = Array.from({ length: 21 }, (_, index) => `a${index}: organisation { id }`).join(' ');
  const { errors } = await app.graphql(`{ ${fields} }`);
  expect(errors?.[0]?.message).toMatch(/21 root fields; the limit is 20/);
  const names = Array.from({ length: 510 }, (_, index) => `a${index}: name`).join(' ');
  expect((await app.graphql(`{ organisation { ${names} } }`)).errors?.[0]?.message).toMatch(
    /510 aliases; the limit is 100/,
  );
});

test('what is not of the explorer is not found in the same words as elsewhere', async () => {
  const answer = await app.rest('GET', '/explorer/nothing.js', { key: null });
  expect([answer.status, answer.body]).toEqual([404, { message: 'Not Found', ok: false }]);
});
