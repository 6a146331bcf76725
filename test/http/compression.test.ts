import { get, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  for (let count = 0; count < 40; count += 1) {
    const description = `${count} `.repeat(80);
    const body = { name: `Workspace ${count}`, slug: `ws-${count}`, description };
    expect((await app.rest('POST', '/v1/admin/workspaces', { key: app.adminKey, body })).status).toBe(200);
  }
});
afterAll(() => app.stop());

type Answer = { headers: IncomingHttpHeaders; body: Buffer };

/** The bytes as they travel. */
async function raw(
  path: string,
  accepted: string | null,
  more: object = {},
): Promise<Answer & { status: number }> {
  const { statusCode, headers, body } = await request(`${app.url}${path}`, {
    headers: {
      'x-gateway-api-key': app.adminKey,
      ...(accepted !== null && { 'accept-encoding': accepted }),
      ...('body' in more && { 'content-type': 'application/json' }),
    },
    ...more,
  });
  return { status: statusCode, headers, body: Buffer.from(await body.arrayBuffer()) };
}

const list = '/v1/admin/workspaces?page_size=100';
const query = {
  method: 'POST',
  body: JSON.stringify({ query: '{ workspaces(pageSize: 100) { data { id name description } } }' }),
};

function textOf({ headers, body }: Answer): string {
  const encoding = headers['content-encoding'];
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  return (encoding === 'gzip' ? gunzipSync(body) : body).toString();
}

describe.each([
  ['REST', list, {}],
  ['GraphQL', '/graphql', query],
])('a long answer of %s', (_door, path, more) => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.2, gzip;q=0.9', 'gzip'],
    ['*', 'br'],
    ['BR;q=0, *;q=0.5', 'gzip'],
    ['deflate, zstd', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['identity', undefined],
    [';;,q=,br;q=x', undefined],
    ['', undefined],
    [null, undefined],
  ])('to a caller who takes %j is sent as %s', async (accepted, encoding) => {
    const plain = await raw(path, null, more);
    const answer = await raw(path, accepted, more);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers.vary).toContain('accept-encoding');
    expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
    expect(textOf(answer)).toBe(plain.body.toString());
    if (encoding) expect(answer.body.length).toBeLessThan(plain.body.length / 3);
  });
});

it('a HEAD says what a GET would, without the body', async () => {
  const { headers, body } = await raw(list, 'br', { method: 'HEAD' });
  expect([headers['content-encoding'], body.length]).toEqual(['br', 0]);
  expect(headers['content-length']).toBe((await raw(list, 'br')).headers['content-length']);
});

it('conditions hold whatever the encoding of the answer was', async () => {
  const tags = await Promise.all(
    ['br', 'gzip', null].map(async (each) => (await raw(list, each)).headers.etag),
  );
  expect(new Set(tags).size).toBe(3);
  const headers = { 'x-gateway-api-key': app.adminKey };
  for (const tag of tags) {
    const response = await fetch(app.url + list, { headers: { ...headers, 'if-none-match': String(tag) } });
    expect(response.status).toBe(304);
  }
});

it.each([
  ['a short answer', '/v1/admin/workspaces?page_size=1', {}],
  [
    'a mutation, which may make a secret',
    '/graphql',
    {
      method: 'POST',
      body: JSON.stringify({
        query: `mutation { createServiceAccount(input: { name: "none" }) { clientSecret } ${'a'.repeat(3000)}: __typename }`,
      }),
    },
  ],
  [
    'a new key, echoed beside what the caller wrote',
    '/v1/api-keys/organisation/service',
    {
      method: 'POST',
      body: JSON.stringify({ name: 'k', description: 'x'.repeat(900), scopes: ['workspaces.list'] }),
    },
  ],
  ['the page of the metrics', '/metrics', {}],
])('%s is sent as it is', async (_what, path, more) => {
  expect((await raw(path, 'br, gzip', more)).headers['content-encoding']).toBeUndefined();
});

it('a stream of events is sent as it is', async () => {
  const search = `?query=${encodeURIComponent('subscription { logAdded { id } }')}`;
  const headers = { 'x-gateway-api-key': app.adminKey, 'accept-encoding': 'gzip, br' };
  const answered = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
    const asked = get(`${app.url}/graphql/stream${search}`, { headers }, (response) => {
      resolve(response.headers);
      asked.destroy();
    });
    asked.once('error', reject);
  });
  expect(answered['content-type']).toContain('text/event-stream');
  expect(answered['content-encoding']).toBe('none');
});
