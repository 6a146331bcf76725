import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SecretMask } from '../../../src/dataplane/answer/secret-mask.ts';
import { chatAnswer, type Script } from '../../support/provider.ts';
import { bodiesOf, recordsOf } from '../../support/records.ts';
import { created, messages, STORED_KEY, startWorld, type World } from '../../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const paths = ['/v1/chat/completions', '/v1/proxy/chat/completions', '/v1/proxy/headers'];
const stars = '*'.repeat(STORED_KEY.length);

/** Repeats, as servers that show a request do, what it was sent, in pieces that end after each of the lengths. */
const echo =
  (status: number, ...lengths: number[]): Script =>
  ({ headers }, response) => {
    const { authorization = '' } = headers;
    const body = Buffer.from(JSON.stringify({ ...chatAnswer(`é ${authorization} é`), seen: authorization }));
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': body.length,
      'www-authenticate': `Bearer seen="${authorization}"`,
      'set-cookie': ['a=1', `key=${authorization}; path=/`],
      'x-plain': 'stays',
    });
    let at = 0;
    const next = () => {
      const length = lengths.shift();
      if (length === undefined) return void response.end(body.subarray(at));
      response.write(body.subarray(at, at + length));
      at += length;
      setImmediate(next);
    };
    next();
  };
const lengthOf = (authorization: string) =>
  Buffer.byteLength(JSON.stringify({ ...chatAnswer(`é ${authorization} é`), seen: authorization }));

describe.each(paths)('on %s a stored credential that the provider repeats is masked', (path) => {
  const headers = () => ({ 'x-gateway-provider': `@${world.slug}` });

  test('in headers and in the body, whose length stays', async () => {
    world.provider.play(echo(200));
    const answer = await world.call({ path, headers: headers() });
    expect([answer.status, answer.headers['x-plain']]).toEqual([200, 'stays']);
    expect(JSON.stringify(answer.lines) + answer.text).not.toContain(STORED_KEY);
    expect(answer.headers['www-authenticate']).toBe('Bearer seen="Bearer [redacted]"');
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'key=Bearer [redacted]; path=/']);
    expect([answer.headers['content-length'], answer.body.length]).toEqual([
      String(lengthOf(`Bearer ${STORED_KEY}`)),
      lengthOf(`Bearer ${STORED_KEY}`),
    ]);
    expect(answer.json.seen).toBe(`Bearer ${stars}`);
  });

  test('in an error', async () => {
    world.provider.play(echo(418));
    const answer = await world.call({ path, headers: headers() });
    expect(answer.status).toBe(418);
    expect(JSON.stringify(answer.lines) + answer.text).not.toContain(STORED_KEY);
  });

  test('across the pieces in which it comes', async () => {
    const start = JSON.stringify(chatAnswer('é Bearer ')).indexOf('Bearer ');
    world.provider.play(echo(200, start + 12, 1, 3, 5));
    const answer = await world.call({ path, headers: headers() });
    expect(answer.json.seen).toBe(`Bearer ${stars}`);
    expect(answer.text).not.toContain(STORED_KEY);
  });
});

test('in a stream', async () => {
  const frame = (content: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
  world.provider.play((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = frame(`key ${STORED_KEY}`);
    response.write(frame('first'));
    response.write(text.slice(0, -30));
    setTimeout(() => response.end(`${text.slice(-30)}data: [DONE]\n\n`), 20);
  });
  const headers = { 'x-gateway-trace-id': 'quoted-stream' };
  const body = { model: `@${world.slug}/m`, messages, stream: true };
  const answer = await world.call({ body, headers });
  expect(answer.text).toBe(`${frame('first')}${frame(`key ${stars}`)}data: [DONE]\n\n`);
  const [record] = await recordsOf(world.app, { traceId: 'quoted-stream' });
  const bodies = record && (await bodiesOf(world.app, record));
  expect(bodies?.response.body).toContain('first');
  expect(bodies?.response.body).not.toContain(STORED_KEY);
});

test('where a saved config has it, and in what the cache keeps', async () => {
  const key = 'own-key-of-a-config-"1234567890';
  const { data } = await created(world.app, '/v1/configs', {
    name: 'with a key',
    config: { provider: 'openai', api_key: key, custom_host: world.provider.url, cache: { mode: 'simple' } },
  });
  world.provider.play(echo(200));
  const cacheStatus: unknown[] = [];
  for (let round = 0; round < 2; round++) {
    const answer = await world.call({ config: data.id, body: { model: 'm', messages } });
    expect([answer.status, answer.json.seen ?? answer.text]).toEqual([
      200,
      `Bearer ${'*'.repeat(key.length + 1)}`,
    ]);
    cacheStatus.push(answer.headers['x-gateway-cache-status']);
  }
  expect(cacheStatus).toEqual(['MISS', 'HIT']);
});

test('one that the caller brought comes back as it is', async () => {
  world.provider.play(echo(200));
  const answer = await world.call({
    path: '/v1/proxy/headers',
    headers: {
      'x-gateway-provider': 'openai',
      'x-gateway-custom-host': world.provider.url,
      authorization: 'Bearer key-of-the-caller-1',
    },
    body: {},
  });
  expect(answer.json.seen).toBe('Bearer key-of-the-caller-1');
  expect(answer.headers['www-authenticate']).toContain('key-of-the-caller-1');
});

test('what is compressed passes as it is, but for its headers', async () => {
  const packed = gzipSync(STORED_KEY);
  world.provider.play((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'x-seen': STORED_KEY });
    response.end(packed);
  });
  const answer = await world.call({
    path: '/v1/proxy/x',
    headers: { 'x-gateway-provider': `@${world.slug}` },
  });
  expect([answer.body.equals(packed), answer.headers['x-seen']]).toEqual([true, '[redacted]']);
});

test('the mask finds secrets in any pieces, changes nothing else, and keeps nothing back', () => {
  const secrets = ['aab-aaab-secret', 'ab-secret-two', 'b-secret'];
  const mask = (text: string) =>
    secrets.reduce((safe, secret) => safe.replaceAll(secret, '*'.repeat(secret.length)), text);
  const piece = fc.oneof(
    fc.constantFrom(...secrets),
    fc.constantFrom('a', 'aa', 'ab-', 'aab-aaab', 'ab-secret-', 'é', '}', '\n'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(9), { maxLength: 40 }), (parts, cuts) => {
      const bytes = Buffer.from(parts.join(''));
      const masking = new SecretMask({ texts: secrets, bytes: secrets.map((each) => Buffer.from(each)) });
      const seen: Buffer[] = [];
      let at = 0;
      for (const length of [...cuts, bytes.length]) {
        const next = masking.take(bytes.subarray(at, at + length));
        at += length;
        if (next) seen.push(next);
      }
      seen.push(masking.rest() ?? Buffer.alloc(0));
      const result = Buffer.concat(seen).toString();
      expect(result.length).toBe(bytes.toString().length);
      for (const secret of secrets) expect(result).not.toContain(secret);
      if (cuts.length === 0) expect(result).toBe(mask(bytes.toString()));
    }),
    { numRuns: 1000 },
  );
});
