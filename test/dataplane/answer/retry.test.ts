import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Sleep } from '../../../src/auth/index.ts';
import { retryAfter } from '../../../src/dataplane/answer/retry.ts';
import { retryHint } from '../../../src/providers/native-api.ts';
import { chatAnswer, json, type Script, startProvider } from '../../support/provider.ts';
import { recordsOf, someRecordsOf } from '../../support/records.ts';
import { messages, type RawAnswer, startWorld, type World } from '../../support/world.ts';

/** The rules of retries, a row each. Nobody waits here: what would be waited is noted. */
let world: World;
let waits: number[] = [];
const note: Sleep = async (milliseconds) => {
  waits.push(milliseconds);
};
let sleep = note;

beforeAll(async () => {
  world = await startWorld({}, (milliseconds, signal) => sleep(milliseconds, signal));
});
afterAll(() => world.stop());
beforeEach(() => {
  waits = [];
  sleep = note;
});

const busy = (status = 429, headers: Record<string, string> = {}): Script =>
  json(status, { error: { message: `busy ${status}` } }, headers);
const fine = json(200, chatAnswer('at last'));
const silent: Script = () => {};

async function call(retry: object | undefined, scripts: Script[], rest: object = {}, asked: object = {}) {
  world.provider.play(...scripts);
  const answer = await world.call({
    config: { provider: `@${world.slug}`, ...(retry && { retry }), ...rest },
    body: { model: 'm', messages, ...asked },
  });
  return outcome(answer);
}

const outcome = (answer: RawAnswer) => ({
  answer,
  status: answer.status,
  calls: world.provider.requests.length,
  count: answer.headers['x-gateway-retry-attempt-count'],
  waits,
});

const honouring = (attempts: number, rest: object = {}) => ({
  attempts,
  use_retry_after_header: true,
  ...rest,
});

describe('attempts and the count of them', () => {
  const twice = { attempts: 2 };
  test.each([
    ['without retry there is one', undefined, [busy()], { status: 429, calls: 1, count: '0' }],
    ['0 attempts are none', { attempts: 0 }, [busy()], { status: 429, calls: 1, count: '0' }],
    ['success needs no other', twice, [fine], { status: 200, calls: 1, count: '0' }],
    ['success on the first retry counts 1', twice, [busy(), fine], { status: 200, calls: 2, count: '1' }],
    ['on the last retry n', twice, [busy(), busy(), fine], { status: 200, calls: 3, count: '2' }],
    ['used up is -1', twice, [busy()], { status: 429, calls: 3, count: '-1' }],
    ['five is the most', { attempts: 5 }, [busy()], { status: 429, calls: 6, count: '-1' }],
    ['other statuses stand at once', twice, [json(400, {})], { status: 400, calls: 1, count: '0' }],
    ['after a retry as well', twice, [busy(), json(404, {})], { status: 404, calls: 2, count: '1' }],
    [
      'a list of its own replaces the default',
      { attempts: 2, on_status_codes: [500] },
      [busy()],
      { status: 429, calls: 1, count: '0' },
    ],
    [
      'an empty list is a list: nothing is repeated',
      { attempts: 2, on_status_codes: [] },
      [busy()],
      { status: 429, calls: 1, count: '0' },
    ],
    [
      'a success that is listed is repeated',
      { attempts: 1, on_status_codes: [429, 201] },
      [busy(), json(201, {})],
      { status: 201, calls: 2, count: '-1' },
    ],
  ] as [string, object | undefined, Script[], object][])('%s', async (_name, retry, scripts, expected) => {
    expect(await call(retry, scripts)).toMatchObject(expected);
  });

  test.each([-1, 6, 1.5, '3', null])('attempts %j are refused', async (attempts) => {
    const answer = await world.call({ config: { provider: `@${world.slug}`, retry: { attempts } } });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_config']);
    expect(answer.json.message).toContain('config.retry.attempts');
  });

  test('429, 500, 502, 503, 504 and 529 are repeated without a list, nothing else is', async () => {
    const statuses = [301, 400, 401, 403, 404, 408, 409, 422, 429, 500, 501, 502, 503, 504, 505, 529];
    const again: number[] = [];
    for (const status of statuses)
      if ((await call({ attempts: 1 }, [busy(status)])).calls === 2) again.push(status);
    expect(again).toEqual([429, 500, 502, 503, 504, 529]);
  });

  test('the waits are 1, 2, 4, 8 and 16 seconds', async () => {
    await call({ attempts: 5 }, [busy(503)]);
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  test('the last answer is what the caller gets, headers included', async () => {
    const last = json(429, { error: { message: 'the last' } }, { 'retry-after-ms': '1', 'x-last': 'yes' });
    const { answer } = await call({ attempts: 1 }, [busy(), last]);
    expect(answer.json.error.message).toBe('the last');
    expect(answer.headers).toMatchObject({ 'x-last': 'yes', 'retry-after-ms': '1' });
  });

  test('every attempt sends the same request', async () => {
    await call({ attempts: 3 }, [busy(), busy(), fine], { override_params: { temperature: 0.5 } });
    const sent = world.provider.requests.map(({ method, url, headers, body }) => [
      method,
      url,
      headers,
      `${body}`,
    ]);
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
  });

  test('bytes are sent again too', async () => {
    world.provider.play(busy(), fine);
    const body = Buffer.from([0, 1, 2, 255]);
    const answer = await world.call({
      path: '/v1/audio/transcriptions',
      headers: { 'content-type': 'audio/wav' },
      config: { provider: `@${world.slug}`, retry: { attempts: 1 } },
      body,
    });
    expect([answer.status, world.provider.requests.map((request) => request.body.equals(body))]).toEqual([
      200,
      [true, true],
    ]);
  });

  test('all attempts at one target are one log record', async () => {
    const { answer } = await call({ attempts: 2 }, [busy(), busy(), fine]);
    const records = await recordsOf(world.app, { traceId: answer.headers['x-gateway-trace-id'] });
    expect(records).toMatchObject([{ retryAttemptCount: 2, responseStatusCode: 200 }]);
  });
});

describe('how long a provider at its limit asks to wait', () => {
  const passed = () => new Date(Date.now() - 1000).toUTCString();
  const late = () => new Date(Date.now() + 120_000).toUTCString();
  const google = {
    error: { code: 429, message: 'quota', details: [{ '@type': 'x/RetryInfo', retryDelay: '7.5s' }] },
  };

  // With the flag the provider's wait replaces the backoff; without, it is the least that is waited.
  test.each([
    ['retry-after-ms', () => ({ 'retry-after-ms': '2500' }), 2500, 2500],
    ['x-ms-retry-after-ms', () => ({ 'x-ms-retry-after-ms': '20' }), 20, 1000],
    ['retry-after in seconds', () => ({ 'retry-after': '3' }), 3000, 3000],
    ['retry-after in parts of a second', () => ({ 'retry-after': '0.25' }), 250, 1000],
    ['retry-after as a date that has passed', () => ({ 'retry-after': passed() }), 0, 1000],
    ['milliseconds before seconds', () => ({ 'retry-after': '120', 'retry-after-ms': '1' }), 1, 1000],
    ['what makes no sense', () => ({ 'retry-after': 'soon' }), 1000, 1000],
    ['59.999 seconds', () => ({ 'retry-after-ms': '59999' }), 59_999, 59_999],
  ])('%s', async (_name, headers, withFlag, without) => {
    const scripts = [busy(429, headers()), fine];
    expect(await call(honouring(1), scripts)).toMatchObject({ status: 200, waits: [withFlag] });
    waits = [];
    expect(await call({ attempts: 1 }, scripts)).toMatchObject({ status: 200, waits: [without] });
  });

  test.each([
    ['an object', google],
    ['an object in a list', [google]],
  ])('the retryDelay in the body of Google, in %s', async (_name, body) => {
    expect(await call(honouring(1), [json(429, body), fine])).toMatchObject({ status: 200, waits: [7500] });
  });

  test.each([
    ['a minute', () => ({ 'retry-after': '60' })],
    ['a minute in milliseconds', () => ({ 'retry-after-ms': '60000' })],
    ['a date', () => ({ 'retry-after': late() })],
  ])('%s or more ends the retries, with the flag and without', async (_name, headers) => {
    const given = { status: 429, calls: 1, count: '-1', waits: [] };
    expect(await call(honouring(3), [busy(429, headers())])).toMatchObject(given);
    expect(await call({ attempts: 3 }, [busy(429, headers())])).toMatchObject(given);
  });

  test('waits that come to more than a minute together end the retries', async () => {
    const scripts = [busy(429, { 'retry-after': '31' }), busy(429, { 'retry-after': '30' })];
    expect(await call(honouring(3), scripts)).toMatchObject({ calls: 2, count: '-1', waits: [31_000] });
  });

  test('on another status than 429 nobody is asked', async () => {
    const scripts = [busy(503, { 'retry-after': '600' }), fine];
    expect(await call(honouring(1), scripts)).toMatchObject({ status: 200, waits: [1000] });
  });

  test.each([
    [{}, null],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': ' 2.5 ' }, 2.5],
    [{ 'retry-after-ms': '' }, null],
    [{ 'retry-after-ms': '-1' }, null],
    [{ 'retry-after-ms': 'NaN', 'retry-after': '3' }, null],
    [{ 'x-ms-retry-after-ms': '40', 'retry-after': '3' }, 40],
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': '1.2.3' }, null],
    [{ 'retry-after': 'tomorrow' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:12 GMT' }, 2000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:02 GMT' }, 0],
    [{ 'retry-after': ['1', '2'] }, null],
  ])('%j ten seconds after the epoch is a wait of %s ms', (headers, wait) => {
    expect(retryAfter(headers, 10_000)).toBe(wait);
  });

  test.each([
    [null, null],
    ['<html>', null],
    [{ error: 'busy' }, null],
    [{ error: { details: 'x' } }, null],
    [{ error: { details: [null, {}, { retryDelay: 3 }, { retryDelay: '1.2.3s' }] } }, null],
    [{ error: { details: [{ reason: 'x' }, { retryDelay: '36s' }] } }, 36_000],
  ])('an error %j asks for %s ms', (error, wait) => {
    expect(retryHint(error)).toBe(wait);
  });
});

describe('providers that do not answer', () => {
  test('a connection that fails is a 500, which is repeated', async () => {
    // It begins to answer: otherwise a connection that had been used before would be replaced in silence.
    const broken: Script = (_request, response) => void response.socket?.end('HTTP/1.1 ');
    expect(await call({ attempts: 1 }, [broken, fine])).toMatchObject({ status: 200, calls: 2, count: '1' });
    const { answer } = await call({ attempts: 1 }, [broken]);
    expect([answer.status, answer.json.error.code]).toEqual([500, 'provider_connection_failed']);
  });

  test('a host that cannot be reached is a 503, which is repeated', async () => {
    const nobody = await startProvider();
    await nobody.stop();
    const answer = await world.call({
      config: { provider: 'openai', api_key: 'k', custom_host: nobody.url, retry: { attempts: 1 } },
      body: { model: 'm' },
    });
    expect([answer.status, answer.json.error.code, waits]).toEqual([503, 'provider_unreachable', [1000]]);
  });

  test('a caller that leaves during a wait ends the retries', async () => {
    const hangUp = new AbortController();
    world.provider.play(busy());
    sleep = async (_milliseconds, signal) => {
      hangUp.abort();
      await once(signal, 'abort');
    };
    const pending = world.call({
      headers: { 'x-gateway-trace-id': 'left-during-a-wait' },
      config: { provider: `@${world.slug}`, retry: { attempts: 3 } },
      signal: hangUp.signal,
    });
    await expect(pending).rejects.toThrow();
    const records = await someRecordsOf(world.app, { traceId: 'left-during-a-wait' });
    expect(records).toMatchObject([{ clientAborted: true, retryAttemptCount: 0 }]);
    expect(world.provider.requests).toHaveLength(1);
  });
});

describe('retries stay inside a target', () => {
  const two = () => ({
    provider: undefined,
    strategy: { mode: 'fallback' },
    targets: [{ provider: `@${world.slug}` }, { provider: `@${world.slug}` }],
  });

  test('they come before the next target, and each target has its own', async () => {
    const { answer, calls } = await call({ attempts: 1 }, [busy(), busy(), busy(), fine], two());
    expect([answer.status, calls]).toEqual([200, 4]);
    expect(answer.headers).toMatchObject({
      'x-gateway-retry-attempt-count': '1',
      'x-gateway-last-used-option-index': 'config.targets[1]',
    });
  });

  test('a target that fails inside the gateway ends the walk', async () => {
    world.provider.play(fine);
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@nobody' }, { provider: `@${world.slug}` }],
    };
    const answer = await world.call({ config, body: { model: 'm', messages } });
    expect([answer.status, answer.headers['x-gateway-gateway-exception']]).toEqual([400, 'true']);
    expect(world.provider.requests).toHaveLength(0);
  });
});

describe('limits of time', () => {
  const timedOut = { error: { message: expect.any(String), type: 'timeout_error', param: null, code: null } };

  test('408 with the body of this section', async () => {
    const { answer, calls } = await call(undefined, [silent], { request_timeout: 30 });
    expect([answer.status, answer.json, calls]).toEqual([408, timedOut, 1]);
  });

  test('count for each attempt; 408 is repeated only where it is listed', async () => {
    const limit = { request_timeout: 300 };
    expect(await call({ attempts: 1 }, [silent], limit)).toMatchObject({ status: 408, calls: 1, count: '0' });
    const listed = { attempts: 1, on_status_codes: [408] };
    expect(await call(listed, [silent, fine], limit)).toMatchObject({ status: 200, calls: 2, count: '1' });
    expect(await call(listed, [silent], limit)).toMatchObject({ status: 408, calls: 2, count: '-1' });
  });

  test('lead to the next target', async () => {
    const config = {
      request_timeout: 300,
      strategy: { mode: 'fallback', on_status_codes: [408] },
      targets: [{ provider: `@${world.slug}` }, { provider: `@${world.slug}` }],
    };
    world.provider.play(silent, fine);
    expect((await world.call({ config, body: { model: 'm', messages } })).status).toBe(200);
  });

  test('of the nearest level hold, and the header goes before all', async () => {
    const nested = {
      request_timeout: 600_000,
      targets: [{ provider: `@${world.slug}`, request_timeout: 30 }],
    };
    world.provider.play(silent);
    expect((await world.call({ config: { strategy: { mode: 'single' }, ...nested } })).status).toBe(408);
    const headers = { 'x-gateway-request-timeout': '30' };
    const patient = { provider: `@${world.slug}`, request_timeout: 600_000 };
    expect((await world.call({ headers, config: patient })).status).toBe(408);
  });

  test('end when a stream has begun, with its first bytes and not with its head', async () => {
    const beginning =
      (first: string): Script =>
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.flushHeaders();
        if (first) response.write(first);
        setTimeout(() => response.end('data: 2\n\n'), 350);
      };
    const limit = { request_timeout: 300 };
    const stream = { stream: true };
    const begun = await call(undefined, [beginning('data: 1\n\n')], limit, stream);
    expect(begun.answer.text).toBe('data: 1\n\ndata: 2\n\n');
    expect(await call(undefined, [beginning('')], limit, stream)).toMatchObject({ status: 408 });
  });
});
