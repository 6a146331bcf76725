import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Sleep } from '../../src/auth/index.ts';
import { chatAnswer, chatFrames, eventStream, json } from '../support/provider.ts';
import { recordsOf as recordsOfApp, someRecordsOf } from '../support/records.ts';
import { type CallOptions, messages, startWorld, type World } from '../support/world.ts';

let world: World;
let wait: Sleep = async () => undefined;

beforeAll(async () => {
  world = await startWorld({}, (milliseconds, signal) => wait(milliseconds, signal));
});
afterAll(() => world.stop());

const recordsOf = (traceId: string) => recordsOfApp(world.app, { traceId });

const through = () => ({ 'x-gateway-provider': `@${world.slug}` });

test.each([
  ['chat', '/v1/chat/completions', 'chatComplete', false],
  ['completions', '/v1/completions', 'complete', false],
  ['embeddings', '/v1/embeddings', 'embed', false],
  ['rerank', '/v1/rerank', 'rerank', false],
  ['the proxy', '/v1/some/other/path', 'proxy', true],
  ['the forced proxy', '/v1/proxy/chat/completions', 'proxy', true],
])('%s is recorded as an endpoint of its own', async (_name, path, endpoint, isProxyCall) => {
  const { record } = await world.logged(json(200, {}), { path, headers: through() });
  expect(record).toMatchObject({ requestUrl: path, endpoint, isProxyCall, aiModel: 'gpt-test' });
});

test.each([
  ['/v1/proxy/projects/p/locations/l/endpoints/123:rawPredict', 'endpoints/123'],
  ['/v1/proxy/projects/p/locations/l/endpoints/123/chat/completions', 'endpoints/123'],
  ['/v1/proxy/projects/p/locations/l/endpoints/openapi/chat/completions', 'gpt-test'],
  ['/v1/proxy/endpoints/mine/invocations', 'mine'],
  ['/v1/chat/completions?x=/models/other:y', 'gpt-test'],
])('the model of %s is %s', async (path, aiModel) => {
  const { record } = await world.logged(json(200, {}), { path, headers: through() });
  expect(record.aiModel).toBe(aiModel);
});

test('the model catalogue is recorded without a provider', async () => {
  const { record } = await world.logged(json(200, {}), { method: 'GET', path: '/v1/models' });
  expect(record).toMatchObject({
    requestMethod: 'GET',
    endpoint: 'models',
    responseStatusCode: 200,
    isSuccess: true,
    aiProvider: null,
    providerId: null,
  });
});

describe('streams', () => {
  test('are marked, and have a time to the first token', async () => {
    const { record } = await world.logged(eventStream(chatFrames(['a', 'b']), 5));
    expect(record).toMatchObject({ streamMode: 1, isSuccess: true, timeToFirstToken: expect.any(Number) });
    expect(record.timeToFirstToken as number).toBeLessThanOrEqual(record.responseTime);
  });

  test('an answer without a body has no first token', async () => {
    const { record } = await world.logged((_request, response) => void response.writeHead(204).end(), {
      path: '/v1/x',
      headers: through(),
    });
    expect(record).toMatchObject({ streamMode: 0, timeToFirstToken: null, responseStatusCode: 204 });
  });

  test('that break off are recorded as failures with the reason', async () => {
    const trace = world.newTrace();
    world.provider.play((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n', () => setTimeout(() => response.destroy(), 20));
    });
    expect((await world.call({ headers: { 'x-gateway-trace-id': trace } })).text).toContain('"error"');
    expect(await recordsOf(trace)).toMatchObject([
      {
        responseStatusCode: 200,
        isSuccess: false,
        clientAborted: false,
        error: expect.stringMatching(/in the middle of its answer/),
      },
    ]);
  });
});

describe('attempts', () => {
  const config = () => ({
    strategy: { mode: 'fallback' },
    targets: [
      { provider: `@${world.slug}`, override_params: { model: 'big' } },
      { provider: `@${world.slug}`, override_params: { model: 'small' } },
    ],
  });

  test('each fallback target has a record of its own', async () => {
    const { records } = await world.logged(
      (request, response, raw) =>
        json(String(request.body).includes('big') ? 503 : 200, chatAnswer('x'))(request, response, raw),
      { config: config() },
    );
    expect(records.map((each) => [each.aiModel, each.responseStatusCode, each.isSuccess, each.mode])).toEqual(
      [
        ['big', 503, false, 'fallback'],
        ['small', 200, true, 'fallback'],
      ],
    );
    expect(records.map((each) => [each.lastUsedOptionIndex, each.lastUsedOptionJsonPath])).toEqual([
      [0, 'config.targets[0]'],
      [1, 'config.targets[1]'],
    ]);
    expect(new Set(records.map(({ _id }) => _id)).size).toBe(2);
  });

  test('retries share one record with their count', async () => {
    const retry = { attempts: 2, use_retry_after_header: true };
    const busy = json(429, {}, { 'retry-after-ms': '1' });
    const used = await world.logged(busy, {
      config: { provider: `@${world.slug}`, retry },
      body: { model: 'm' },
    });
    expect(used.records).toMatchObject([{ retryAttemptCount: -1, responseStatusCode: 429 }]);
  });

  test('a saved config is named', async () => {
    const { body } = await world.app.rest('POST', '/v1/configs', {
      body: { name: 'logged', config: { provider: `@${world.slug}` } },
    });
    const { id, version_id } = (body as { data: { id: string; version_id: string } }).data;
    const { record } = await world.logged(json(200, {}), { config: id, body: { model: 'm' } });
    expect(record).toMatchObject({
      configId: id,
      configVersionId: version_id,
      configSlug: expect.any(String),
    });
  });

  test.each([
    ['an unknown provider', { body: { model: '@nobody/m', messages } }, 400],
    ['a broken body', { body: '{' }, 400],
    ['a broken config', { config: '{' }, 400],
    ['a method that is not allowed', { method: 'PATCH' }, 405],
  ] as [string, CallOptions, number][])('a refusal for %s is recorded', async (_name, options, status) => {
    const { records, answer } = await world.logged(json(200, {}), options);
    expect(records).toMatchObject([
      { responseStatusCode: status, isSuccess: false, aiProvider: null, error: answer.json.error.message },
    ]);
  });

  test.each([
    ['a timeout', { request_timeout: 20 }, 408, /did not answer within/],
    ['a host that nobody listens at', { custom_host: 'http://127.0.0.1:1/v1' }, 503, /before it answered/],
  ])('%s is recorded with its reason', async (_name, rest, status, reason) => {
    const config = { provider: 'openai', api_key: 'k', custom_host: world.provider.url, ...rest };
    const { record } = await world.logged(() => {}, { config, body: { model: 'm' } });
    expect(record).toMatchObject({ responseStatusCode: status, isSuccess: false, timeToFirstToken: null });
    expect(record.error).toMatch(reason);
  });
});

describe('callers that hang up', () => {
  test.each([
    ['in the middle of the answer', true, 200],
    ['before the answer', false, 499],
  ])('%s', async (_name, begun, status) => {
    const trace = world.newTrace();
    let upstreamGone: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      upstreamGone = resolve;
    });
    let arrived: () => void = () => {};
    const here = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    world.provider.play((_request, response) => {
      response.once('close', upstreamGone);
      if (begun) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: 1\n\n');
      }
      arrived();
    });
    const hangUp = new AbortController();
    const call = world.open({ headers: { 'x-gateway-trace-id': trace }, signal: hangUp.signal });
    if (begun) (await call).on('error', () => {});
    else {
      call.catch(() => {});
      await here;
    }
    hangUp.abort();
    await gone;
    const records = await recordsOf(trace);
    expect(records).toMatchObject([
      {
        responseStatusCode: status,
        isSuccess: false,
        clientAborted: true,
        error: expect.stringMatching(/hung up/),
      },
    ]);
  });

  test('end the retries and the walk', async () => {
    const trace = world.newTrace();
    const hangUp = new AbortController();
    world.provider.play(json(503, {}));
    wait = async (_milliseconds, signal) => {
      hangUp.abort();
      await once(signal, 'abort');
    };
    const call = world.call({
      headers: { 'x-gateway-trace-id': trace },
      config: {
        strategy: { mode: 'fallback' },
        retry: { attempts: 5 },
        targets: [{ provider: `@${world.slug}` }, { provider: `@${world.slug}` }],
      },
      body: { model: 'm' },
      signal: hangUp.signal,
    });
    await expect(call).rejects.toThrow();
    const records = await someRecordsOf(world.app, { traceId: trace });
    expect(records).toHaveLength(1);
    expect(world.provider.requests).toHaveLength(1);
    expect(records[0]?.clientAborted).toBe(true);
    wait = async () => undefined;
  });

  test('in the middle of an upload', async () => {
    const trace = world.newTrace();
    const response = await fetch(`${world.app.url}/v1/files`, {
      method: 'POST',
      headers: {
        'x-gateway-api-key': world.app.workspaceKey,
        'x-gateway-trace-id': trace,
        'content-type': 'audio/wav',
        ...through(),
      },
      duplex: 'half',
      body: new ReadableStream({
        async pull(controller) {
          controller.enqueue(Buffer.alloc(1000));
          await new Promise((resolve) => setTimeout(resolve, 30));
          controller.error(new Error('hang up'));
        },
      }) as never,
    } as RequestInit).catch(() => null);
    expect(response).toBeNull();
    const records = await someRecordsOf(world.app, { traceId: trace });
    expect(records).toMatchObject([{ responseStatusCode: 499, clientAborted: true, isSuccess: false }]);
  });
});
