import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { retryAfter } from '../../src/dataplane/retry.ts';
import { chatAnswer, json, type Script } from '../support/provider.ts';
import { messages, type RawAnswer, startWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** A status with a wait of one millisecond, where the caller asked to be told. */
const busy = (status = 429, headers: Record<string, string> = { 'retry-after-ms': '1' }): Script =>
  json(status, { error: { message: `busy ${status}` } }, headers);
const fine = json(200, chatAnswer('at last'));

async function call(retry: object | undefined, scripts: Script[], rest: object = {}) {
  world.provider.play(...scripts);
  const answer = await world.call({
    config: { provider: `@${world.slug}`, ...(retry && { retry }), ...rest },
    body: { model: 'm', messages },
  });
  return outcome(answer);
}

const outcome = (answer: RawAnswer) => ({
  answer,
  status: answer.status,
  calls: world.provider.requests.length,
  count: answer.headers['x-gateway-retry-attempt-count'],
});

const quick = (attempts: number, rest: object = {}) => ({ attempts, use_retry_after_header: true, ...rest });

describe('attempts', () => {
  test.each([
    ['no retry key', undefined, [busy()], { status: 429, calls: 1, count: '0' }],
    ['attempts 0', quick(0), [busy()], { status: 429, calls: 1, count: '0' }],
    ['success at once', quick(3), [fine], { status: 200, calls: 1, count: '0' }],
    ['success on the first retry', quick(3), [busy(), fine], { status: 200, calls: 2, count: '1' }],
    ['success on the last retry', quick(2), [busy(), busy(), fine], { status: 200, calls: 3, count: '2' }],
    ['used up', quick(2), [busy()], { status: 429, calls: 3, count: '-1' }],
    ['five, the most', quick(5), [busy()], { status: 429, calls: 6, count: '-1' }],
    ['a status that is not listed', quick(3), [json(400, {})], { status: 400, calls: 1, count: '0' }],
    ['not listed after a retry', quick(3), [busy(), json(404, {})], { status: 404, calls: 2, count: '1' }],
    [
      '429 not in a list of its own',
      quick(3, { on_status_codes: [500] }),
      [busy()],
      { status: 429, calls: 1, count: '0' },
    ],
    [
      'a success that is listed',
      quick(1, { on_status_codes: [429, 201] }),
      [busy(), json(201, {})],
      { status: 201, calls: 2, count: '-1' },
    ],
  ] as [string, object | undefined, Script[], object][])('%s', async (_name, retry, scripts, expected) => {
    expect(await call(retry, scripts)).toMatchObject(expected);
  });

  test('the last answer is returned unchanged', async () => {
    const last = json(429, { error: { message: 'the last' } }, { 'retry-after-ms': '1', 'x-last': 'yes' });
    const { answer } = await call(quick(1), [busy(), last]);
    expect(answer.json).toEqual({ error: { message: 'the last' } });
    expect(answer.headers).toMatchObject({ 'x-last': 'yes', 'retry-after-ms': '1' });
  });

  test('every attempt sends the same request', async () => {
    await call(quick(3), [busy(), busy(), fine], { override_params: { temperature: 0.5 } });
    const sent = world.provider.requests.map(({ method, url, headers, body }) => [
      method,
      url,
      headers,
      String(body),
    ]);
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
  });

  test('bytes on a proxied path are sent again too', async () => {
    world.provider.play(busy(), fine);
    const body = Buffer.from([0, 1, 2, 255]);
    const answer = await world.call({
      path: '/v1/audio/transcriptions',
      headers: { 'content-type': 'audio/wav' },
      config: { provider: `@${world.slug}`, retry: quick(1) },
      body,
    });
    expect([answer.status, world.provider.requests.map((request) => request.body.equals(body))]).toEqual([
      200,
      [true, true],
    ]);
  });

  test('a target’s retries come before the next target', async () => {
    const { status, calls, answer } = await call(quick(1), [busy(), busy(), fine], {
      provider: undefined,
      strategy: { mode: 'fallback' },
      targets: [{ provider: `@${world.slug}` }, { provider: `@${world.slug}` }],
    });
    expect([status, calls]).toEqual([200, 3]);
    expect(answer.headers).toMatchObject({
      'x-gateway-retry-attempt-count': '0',
      'x-gateway-last-used-option-index': 'config.targets[1]',
    });
  });
});

/** Waits without a header of the provider take a second and more: these run beside each other. */
describe('statuses that are tried again without a list', () => {
  test('429, 500, 502, 503, 504 and 529 are, nothing else is', async () => {
    const statuses = [301, 400, 401, 403, 404, 408, 409, 422, 429, 500, 501, 502, 503, 504, 505, 529];
    const tries = new Map<string, number>();
    world.provider.play((request, response, raw) => {
      const { status } = JSON.parse(String(request.body));
      tries.set(String(status), (tries.get(String(status)) ?? 0) + 1);
      return json(status, {})(request, response, raw);
    });
    await Promise.all(
      statuses.map((status) =>
        world.call({
          config: { provider: `@${world.slug}`, retry: { attempts: 1 } },
          body: { model: 'm', status },
        }),
      ),
    );
    const again = statuses.filter((status) => tries.get(String(status)) === 2);
    expect(again).toEqual([429, 500, 502, 503, 504, 529]);
    expect([...tries.values()].every((count) => count <= 2)).toBe(true);
  });
});

describe('waits that the provider asks for', () => {
  const soon = () => new Date(Date.now() - 1000).toUTCString();
  const late = () => new Date(Date.now() + 120_000).toUTCString();

  test.each([
    ['retry-after-ms', () => ({ 'retry-after-ms': '1' })],
    ['x-ms-retry-after-ms', () => ({ 'x-ms-retry-after-ms': '1' })],
    ['retry-after in seconds', () => ({ 'retry-after': '0' })],
    ['retry-after in parts of a second', () => ({ 'retry-after': '0.001' })],
    ['retry-after as a date that has passed', () => ({ 'retry-after': soon() })],
    ['the milliseconds before the seconds', () => ({ 'retry-after': '120', 'retry-after-ms': '1' })],
  ])('%s', async (_name, headers) => {
    expect(await call(quick(1), [busy(429, headers()), fine])).toMatchObject({
      status: 200,
      calls: 2,
      count: '1',
    });
  });

  test.each([
    ['seconds', () => ({ 'retry-after': '60' })],
    ['milliseconds', () => ({ 'retry-after-ms': '60000' })],
    ['a date', () => ({ 'retry-after': late() })],
  ])('a minute or more, in %s, ends the retries', async (_name, headers) => {
    expect(await call(quick(3), [busy(429, headers())])).toMatchObject({
      status: 429,
      calls: 1,
      count: '-1',
    });
  });

  test('waits that come to more than a minute together end the retries', async () => {
    const { calls, count } = await call(quick(3), [
      busy(429, { 'retry-after-ms': '5' }),
      busy(429, { 'retry-after-ms': '59996' }),
    ]);
    expect([calls, count]).toEqual([2, '-1']);
  });

  // What is not honoured falls back to a wait of a second, as the success shows: ten minutes would end the retries.
  test.each([
    ['on another status', 503, quick(1), { 'retry-after': '600' }],
    ['without being asked to', 429, { attempts: 1 }, { 'retry-after': '600' }],
    ['that make no sense', 429, quick(1), { 'retry-after': 'soon' }],
  ] as [string, number, object, Record<string, string>][])(
    'waits %s are not honoured',
    async (_name, status, retry, headers) => {
      expect(await call(retry, [busy(status, headers), fine])).toMatchObject({ status: 200, calls: 2 });
    },
  );

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
});
