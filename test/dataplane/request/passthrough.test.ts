import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chatAnswer, json, type Script } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const through = (headers: Record<string, string> = {}) => ({
  'x-gateway-provider': `@${world.slug}`,
  ...headers,
});

/** A provider that answers these exact bytes. */
const bytes =
  (status: number, headers: Record<string, string | string[]>, body: Buffer | string): Script =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

test.each([200, 201, 202, 204, 304, 400, 401, 403, 404, 409, 418, 422, 429, 500, 503])(
  'status %i reaches the caller with its body',
  async (status) => {
    const body = status === 204 || status === 304 ? '' : `{"status":  ${status}}`;
    world.provider.play(bytes(status, { 'content-type': 'application/json', 'x-from': 'provider' }, body));
    const answer = await world.call({ path: '/v1/anything/at/all', headers: through() });
    expect([answer.status, answer.text, answer.headers['x-from']]).toEqual([status, body, 'provider']);
  },
);

test('a chat answer keeps its odd white space and member order', async () => {
  const text = '{\n  "zeta" : 1.0e2 ,\t"choices":[ ],\r\n "é":"\\u00e9"}\n';
  world.provider.play(bytes(200, { 'content-type': 'application/json; charset=utf-8' }, text));
  const answer = await world.call();
  expect(answer.text).toBe(text);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('headers: several lines of one name, unusual names and empty values stay', async () => {
  const headers = {
    'set-cookie': ['a=1; Path=/', 'b=2'],
    'x-many': ['one', 'two'],
    'x_under.score!': 'odd',
    'x-empty': '',
    etag: 'W/"abc"',
    'x-ratelimit-remaining-tokens': '12',
    'content-length': '2',
  };
  world.provider.play(bytes(200, headers, 'ok'));
  const answer = await world.call({ path: '/v1/other', headers: through() });
  const values = (name: string) => answer.lines.filter(([key]) => key === name).map(([, value]) => value);
  for (const [name, value] of Object.entries(headers))
    expect([name, values(name)]).toEqual([name, [value].flat()]);
});

test('header bytes beyond ASCII are not altered', async () => {
  const value = Buffer.from('grüße 中文').toString('latin1');
  world.provider.play(bytes(200, { 'x-utf8': value }, Buffer.from('ok')));
  const answer = await world.call({ path: '/v1/other', headers: through() });
  expect(Buffer.from(String(answer.headers['x-utf8']), 'latin1').toString('utf8')).toBe('grüße 中文');
});

test('headers of one hop are dropped, also those that `connection` names', async () => {
  world.provider.play(
    bytes(
      200,
      { connection: 'x-hop, close', 'x-hop': '1', 'proxy-authenticate': 'Basic', 'x-stay': '1' },
      'ok',
    ),
  );
  const answer = await world.call({ path: '/v1/other', headers: through() });
  expect(answer.headers).toMatchObject({ 'x-stay': '1' });
  expect(answer.headers).not.toHaveProperty('x-hop');
  expect(answer.headers).not.toHaveProperty('proxy-authenticate');
  expect(answer.headers.connection).not.toMatch(/x-hop/);
});

test('the gateway adds its own headers', async () => {
  world.provider.play(json(200, chatAnswer('hi')));
  const answer = await world.call({ headers: { 'x-gateway-trace-id': 'trace-77' } });
  expect(answer.headers).toMatchObject({
    'x-gateway-trace-id': 'trace-77',
    'x-gateway-provider': 'openai',
    'x-gateway-retry-attempt-count': '0',
    'x-gateway-last-used-option-index': 'config',
    'x-gateway-cache-status': 'DISABLED',
  });
  expect(answer.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('a compressed body stays compressed', async () => {
  const packed = gzipSync(JSON.stringify(chatAnswer('packed')));
  world.provider.play(bytes(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, packed));
  const answer = await world.call({ path: '/v1/x', headers: through({ 'accept-encoding': 'gzip' }) });
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect(answer.body.equals(packed)).toBe(true);
  expect(world.provider.requests[0]?.headers['accept-encoding']).toBe('gzip');
});

test('a megabyte of random bytes comes out as it went in', async () => {
  const blob = randomBytes(1024 * 1024);
  world.provider.play(bytes(200, { 'content-type': 'audio/mpeg' }, blob));
  const answer = await world.call({ path: '/v1/audio/speech', headers: through() });
  expect(answer.body.equals(blob)).toBe(true);
});

test.each([
  ['with a content-length', { 'content-length': '11' }, 'hello world'],
  ['without a body', { 'content-length': '0' }, ''],
])('an answer %s keeps it', async (_name, headers, body) => {
  world.provider.play(bytes(200, headers, body));
  const answer = await world.call({ path: '/v1/x', headers: through() });
  expect([answer.headers['content-length'], answer.text]).toEqual([headers['content-length'], body]);
});

test('whatever is sent either way arrives', async () => {
  const name = fc.stringMatching(/^x-p-[a-z0-9_.~!-]{1,20}$/);
  const value = fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/);
  const headers = fc.dictionary(name, value, { maxKeys: 8 });
  const body = fc.uint8Array({ maxLength: 5000 });
  const status = fc.integer({ min: 200, max: 599 }).filter((code) => ![204, 205, 304].includes(code));
  await fc.assert(
    fc.asyncProperty(headers, body, headers, body, status, async (up, upBody, down, downBody, code) => {
      world.provider.play(
        bytes(code, { ...down, 'content-type': 'application/x-any' }, Buffer.from(downBody)),
      );
      const answer = await world.call({
        method: 'PUT',
        path: '/v1/any',
        headers: { ...up, ...through({ 'content-type': 'application/x-any' }) },
        body: Buffer.from(upBody),
      });
      const [request] = world.provider.requests;
      expect(answer.status).toBe(code);
      expect(answer.body.equals(Buffer.from(downBody))).toBe(true);
      expect(answer.headers).toMatchObject(down);
      expect(request?.body.equals(Buffer.from(upBody))).toBe(true);
      expect(request?.headers).toMatchObject(up);
    }),
    { numRuns: 150 },
  );
});

describe('a redirect keeps whoever follows it, and its gateway key, at the gateway', () => {
  const redirect = (location: string) => bytes(302, { location, 'x-from': 'provider' }, 'moved');

  test.each([
    ['relative to the path', 'b?x=1', '/v1/proxy/files/b?x=1'],
    ['relative to the host', '/v1/files/b', '/v1/proxy/files/b'],
    ['with the provider’s own host', 'HERE/files/b', '/v1/proxy/files/b'],
  ])('%s', async (_name, location, expected) => {
    const ok = json(200, { id: 'b' });
    world.provider.play(redirect(location.replace('HERE', world.provider.url)), ok);
    const answer = await world.call({ method: 'GET', path: '/v1/files/a', headers: through() });
    expect([answer.status, answer.headers.location, answer.headers['x-from'], answer.text]).toEqual([
      302,
      expected,
      'provider',
      'moved',
    ]);
    const followed = await world.call({
      method: 'GET',
      path: answer.headers.location ?? '',
      headers: through(),
    });
    expect([followed.status, world.provider.requests[1]?.url]).toEqual([
      200,
      expected.replace('/v1/proxy', '/v1'),
    ]);
  });

  test.each([
    ['https://files.example/b?sig=a%2Fb', 'https://files.example/b?sig=a%2Fb'],
    ['HTTPS://Files.Example', 'HTTPS://Files.Example'],
    ['//files.example/v1/b', 'http://files.example/v1/b'],
    ['/elsewhere', 'HOST/elsewhere'],
    ['/v1x/files', 'HOST/v1x/files'],
    ['../../b', 'HOST/b'],
    ['http://[', 'http://['],
    ['data:text/plain,x', 'data:text/plain,x'],
  ])('unless it leads elsewhere: %s goes to the caller', async (location, expected) => {
    for (const path of ['/v1/files/a', '/v1/proxy/files/a']) {
      world.provider.play(redirect(location));
      const answer = await world.call({ method: 'GET', path, headers: through() });
      expect([answer.status, answer.headers.location, answer.headers['x-from'], answer.text]).toEqual([
        302,
        expected.replace('HOST', new URL(world.provider.url).origin),
        'provider',
        'moved',
      ]);
    }
  });

  test('and on a known path it comes without its target, compressed or not', async () => {
    for (const coding of [{}, { 'content-encoding': 'gzip' }] as Record<string, string>[]) {
      world.provider.play(bytes(307, { location: 'https://evil.example/', ...coding }, gzipSync('moved')));
      const answer = await world.call();
      expect([answer.status, answer.headers.location]).toEqual([307, undefined]);
    }
  });
});

describe('with PROVIDER_REDIRECTS=refuse', () => {
  let strict: World;
  beforeAll(async () => {
    strict = await startWorld({ PROVIDER_REDIRECTS: 'refuse' });
  });
  afterAll(() => strict.stop());

  test.each(['https://evil.example/v1/files/b', '//evil.example/v1/b', '/elsewhere', '../../b', 'http://['])(
    'a redirect to %s is an error',
    async (location) => {
      strict.provider.play(bytes(302, { location }, 'moved'));
      const headers = { 'x-gateway-provider': `@${strict.slug}` };
      const answer = await strict.call({ method: 'GET', path: '/v1/files/a', headers });
      expect([answer.status, answer.headers.location]).toEqual([502, undefined]);
      expect(answer.json.error.message).toMatch(/answered 302, a redirect .* PROVIDER_REDIRECTS=refuse/);
    },
  );

  test('one below the provider’s base still leads to /v1/proxy', async () => {
    strict.provider.play(bytes(302, { location: '/v1/files/b' }, 'moved'));
    const headers = { 'x-gateway-provider': `@${strict.slug}` };
    const answer = await strict.call({ method: 'GET', path: '/v1/files/a', headers });
    expect([answer.status, answer.headers.location]).toEqual([302, '/v1/proxy/files/b']);
  });
});

describe('trailers', () => {
  const withTrailers: Script = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', trailer: 'x-checksum, x-more' });
    response.write('{"a":');
    response.addTrailers([
      ['x-checksum', 'abc=='],
      ['x-more', 'one'],
      ['x-more', 'two'],
      ['x-gateway-trace-id', 'forged'],
    ]);
    response.end('1}');
  };

  test.each(['/v1/anything', '/v1/chat/completions'])('pass behind the body of %s', async (path) => {
    world.provider.play(withTrailers);
    const response = await world.open({ path, headers: through(), body: { model: 'm' } });
    let text = '';
    for await (const chunk of response) text += chunk;
    expect([text, response.headers.trailer, response.rawTrailers]).toEqual([
      '{"a":1}',
      'x-checksum, x-more',
      ['x-checksum', 'abc==', 'x-more', 'one', 'x-more', 'two'],
    ]);
  });
});
