import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Sleep } from '../../src/auth/index.ts';
import { catalogue, type ErrorName, errorHeaders, GatewayError } from '../../src/errors/index.ts';
import { chatAnswer, chatFrames, eventStream, json, type Script } from '../support/provider.ts';
import { recordsOf, storedText } from '../support/records.ts';
import {
  type CallOptions,
  created,
  messages,
  STORED_KEY,
  startWorld,
  until,
  type World,
} from '../support/world.ts';

/**
 * What users of other gateways complain of most, one promise each (the numbers are those of the list that this was built
 * from). Proven elsewhere: 1 chaos.test.ts and `npm run soak`, 7 outage.test.ts, 11 recording/pricing, 13 also answer/retry.test.ts.
 */
let world: World;
let anthropic: string;
let wait: Sleep = async () => undefined;

beforeAll(async () => {
  world = await startWorld({}, (milliseconds, signal) => wait(milliseconds, signal));
  anthropic = await world.makeProvider({ ai_provider_id: 'anthropic' });
});
afterAll(() => world.stop());
beforeEach(() => {
  wait = async () => undefined;
});

const model = () => `@${world.slug}/gpt-test`;
const chat = (more: object = {}) => ({ model: model(), messages, ...more });
const streamed = () => chat({ stream: true });

/** Begins an event stream with the frames and then does as it is told. */
const stream =
  (frames: string[], then: 'end' | 'break' | 'wait'): Script =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const text = frames.join('');
    if (then === 'end') response.end(text);
    else if (then === 'break') response.write(text || ':\n', () => setTimeout(() => response.destroy(), 10));
    else if (text) response.write(text);
  };

const typed = (type: string, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const role = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] })}\n\n`;
const frames = chatFrames(['one', 'two']);
const content = frames.slice(0, 2);

describe('2: a caller that leaves ends the work at the provider', () => {
  const silent: Script = () => {};
  const halfway: Script = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"begun":');
  };
  const through = () => ({ 'x-gateway-provider': `@${world.slug}` });
  const post = (path: string, body: object) => (): CallOptions => ({
    path,
    body: { model: model(), ...body },
  });

  test.each([
    ['a chat call without a stream', () => ({ body: chat() }), silent],
    ['a chat call halfway through its answer', () => ({ body: chat() }), halfway],
    ['a stream before its head', () => ({ body: streamed() }), silent],
    ['a stream before its first token', () => ({ body: streamed() }), stream([role], 'wait')],
    ['a stream after its first token', () => ({ body: streamed() }), stream(content, 'wait')],
    ['a completion', post('/v1/completions', { prompt: 'x' }), silent],
    ['embeddings', post('/v1/embeddings', { input: 'x' }), silent],
    ['images', post('/v1/images/generations', { prompt: 'x' }), silent],
    ['speech', post('/v1/audio/speech', { input: 'x', voice: 'v' }), halfway],
    [
      'a native response',
      post('/v1/responses', { input: 'x', stream: true }),
      stream([typed('response.created')], 'wait'),
    ],
    [
      'native messages',
      () => ({
        path: '/v1/messages',
        body: { model: `@${anthropic}/c`, max_tokens: 5, messages, stream: true },
      }),
      stream([typed('message_start')], 'wait'),
    ],
    [
      'chat in the dialect of a provider',
      () => ({ body: { model: `@${anthropic}/c`, max_tokens: 5, messages } }),
      silent,
    ],
    [
      'a stream in the dialect of a provider',
      () => ({ body: { model: `@${anthropic}/c`, max_tokens: 5, messages, stream: true } }),
      silent,
    ],
    [
      'messages by way of chat',
      post('/v1/messages', { max_tokens: 5, messages, stream: true }),
      stream([role], 'wait'),
    ],
    [
      'a file on its way back',
      () => ({ method: 'GET', path: '/v1/files/f/content', headers: through() }),
      halfway,
    ],
    [
      'the raw proxy',
      () => ({ path: '/v1/proxy/anything', headers: through(), body: { a: 1 } }),
      stream(['data: 1\n\n'], 'wait'),
    ],
  ] as [string, () => CallOptions, Script][])('%s', async (_name, options, script) => {
    const hangUp = new AbortController();
    const closed = new Promise<void>((resolve) => {
      world.provider.play(async (request, response, raw) => {
        response.once('close', resolve);
        await script(request, response, raw);
        setTimeout(() => hangUp.abort(), 20);
      });
    });
    await expect(world.call({ ...options(), signal: hangUp.signal })).rejects.toThrow();
    await closed;
    expect(world.provider.requests).toHaveLength(1);
  });

  test('a wait between two attempts', async () => {
    const hangUp = new AbortController();
    wait = async (_milliseconds, signal) => {
      hangUp.abort();
      await once(signal, 'abort');
    };
    world.provider.play(json(503, {}));
    const config = { provider: `@${world.slug}`, retry: { attempts: 5 } };
    await expect(world.call({ config, signal: hangUp.signal })).rejects.toThrow();
    expect(world.provider.requests).toHaveLength(1);
  });
});

test('8: no record is lost however many come at once', async () => {
  world.provider.play(json(200, chatAnswer('hi')));
  const trace = world.newTrace();
  await Promise.all(
    Array.from({ length: 250 }, () => world.call({ body: chat(), headers: { 'x-gateway-trace-id': trace } })),
  );
  expect(await recordsOf(world.app, { traceId: trace })).toHaveLength(250);
});

test('9: bodies lie apart from the records, packed, with an end of their own', async () => {
  world.provider.play(json(200, chatAnswer('x'.repeat(5000))));
  const trace = world.newTrace();
  await Promise.all(
    Array.from({ length: 20 }, () => world.call({ body: chat(), headers: { 'x-gateway-trace-id': trace } })),
  );
  const records = await recordsOf(world.app, { traceId: trace });
  expect(JSON.stringify(records)).not.toContain('xxxxx');
  expect(new Set(records.map(({ bodiesId }) => bodiesId)).size).toBeLessThan(20);
  const pack = await world.app.db.collection('log_bodies').findOne({ _id: records[0]?.bodiesId as never });
  expect(pack?.expiresAt.getTime()).toBeLessThan(records[0]?.expiresAt?.getTime() ?? 0);
});

describe('10: a stream is counted, whether or not the caller asked for it', () => {
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  /** As OpenAI does: the counts come when they are asked for, and then every frame names them. */
  const counting: Script = (request, response, raw) => {
    const { stream_options } = JSON.parse(String(request.body)) as {
      stream_options?: { include_usage?: boolean };
    };
    const asked = stream_options?.include_usage === true;
    const named = frames.map((frame) => (asked ? frame.replace('}]}\n', '}],"usage":null}\n') : frame));
    const counts = `data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\n`;
    const all = asked ? [...named.slice(0, -1), counts, 'data: [DONE]\n\n'] : named;
    return eventStream(all)(request, response, raw);
  };
  const counted = { promptTokens: 7, completionTokens: 5, totalTokens: 12, usageSource: 'provider' };

  test('in chat: the caller gets the frames as if nobody had asked', async () => {
    const { answer, record } = await world.logged(counting, { body: streamed() });
    expect(answer.text).toBe(frames.join(''));
    expect(record).toMatchObject(counted);
    expect(JSON.parse(String(world.provider.requests[0]?.body)).stream_options).toEqual({
      include_usage: true,
    });
  });

  test('in chat: who asks gets the counts', async () => {
    const { answer, record } = await world.logged(counting, {
      body: chat({ stream: true, stream_options: { include_usage: true } }),
    });
    expect(answer.text).toContain('"usage":{"prompt_tokens":7');
    expect(answer.text).toContain('"usage":null');
    expect(record).toMatchObject(counted);
  });

  test('in text completions and over the mock provider', async () => {
    const { record } = await world.logged(counting, {
      path: '/v1/completions',
      body: { model: model(), prompt: 'x', stream: true },
    });
    expect(record).toMatchObject(counted);
    const mock = await world.logged(counting, { body: { model: '@mock/mock-1', messages, stream: true } });
    expect(mock.answer.text).not.toContain('usage');
    expect(mock.record).toMatchObject({ promptTokens: 2, completionTokens: 2 });
  });

  const message = [
    typed('message_start', { message: { usage: { input_tokens: 7, output_tokens: 1 } } }),
    typed('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    typed('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'hi' } }),
    typed('content_block_stop', { index: 0 }),
    typed('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
    typed('message_stop'),
  ];

  test('in messages, natively and by way of a dialect', async () => {
    const asked = { model: `@${anthropic}/claude-test`, max_tokens: 5, messages, stream: true };
    const native = await world.logged(eventStream(message), { path: '/v1/messages', body: asked });
    expect(native.answer.text).toBe(message.join(''));
    expect(native.record).toMatchObject(counted);
    const dialect = await world.logged(eventStream(message), { body: asked });
    expect(dialect.answer.text).not.toContain('"usage"');
    expect(dialect.answer.text).toMatch(/data: \[DONE\]\n\n$/);
    expect(dialect.record).toMatchObject(counted);
  });

  test('in responses', async () => {
    const events = [
      typed('response.created', { response: {} }),
      typed('response.output_text.delta', { delta: 'hi' }),
      typed('response.completed', {
        response: { usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 } },
      }),
    ];
    const { answer, record } = await world.logged(eventStream(events), {
      path: '/v1/responses',
      body: { model: model(), input: 'x', stream: true },
    });
    expect(answer.text).toBe(events.join(''));
    expect(record).toMatchObject(counted);
  });
});

describe('12: nothing is billed that no provider counted', () => {
  test.each([
    ['a stream that breaks', stream(content, 'break')],
    ['a stream that is cut short', stream(content, 'end')],
  ])('%s', async (_name, script) => {
    const { record } = await world.logged(script, { body: streamed() });
    expect(record).toMatchObject({
      isSuccess: false,
      promptTokens: null,
      completionTokens: null,
      costNanodollars: null,
      usageSource: null,
    });
  });
});

describe('13: a 429 says when to come again', () => {
  const refusals = Object.entries(catalogue).flatMap(([name, { status }]) =>
    status === 429 ? [name as ErrorName] : [],
  );
  test.each(refusals)('also the gateway’s own %s', (name) => {
    expect(errorHeaders(new GatewayError(name))).toEqual({ 'retry-after': '1' });
    expect(errorHeaders(new GatewayError(name, { retryAfter: 7 }))).toEqual({ 'retry-after': '7' });
  });

  test('the words of the provider reach the caller', async () => {
    const { answer } = await world.logged(
      json(429, { error: { message: 'slow' } }, { 'retry-after': '70' }),
      {
        config: { provider: `@${world.slug}`, retry: { attempts: 2 } },
        body: chat(),
      },
    );
    expect([answer.status, answer.headers['retry-after'], world.provider.requests.length]).toEqual([
      429,
      '70',
      1,
    ]);
  });
});

test('13: a 429 of one model, or of one caller’s own key, takes the target out for that alone', async () => {
  const target = { provider: 'openai', custom_host: world.provider.url };
  const { data } = await created(world.app, '/v1/configs', {
    name: 'cooling down',
    config: {
      strategy: {
        mode: 'fallback',
        cb_config: { failure_threshold: 1, cooldown_interval: 30_000, failure_status_codes: [429] },
      },
      targets: [target, target],
    },
  });
  const { body } = await world.app.rest('GET', `/v1/configs/${data.id}`);
  const config = (body as { data: { slug: string } }).data.slug;
  const call = async (named: string, key: string, script: Script = json(200, chatAnswer('hi'))) => {
    world.provider.play(script, json(200, chatAnswer('hi')));
    const headers = { 'x-gateway-config': config, authorization: `Bearer ${key}` };
    const answer = await world.call({ headers, body: { model: named, messages } });
    return [answer.headers['x-gateway-last-used-option-index'], world.provider.requests.length];
  };
  const atFirst = ['config.targets[0]', 1];
  const atSecond = ['config.targets[1]', 1];
  expect(await call('busy', 'sk-mine-000000', json(429, {}))).toEqual(['config.targets[1]', 2]);
  expect(await call('busy', 'sk-mine-000000')).toEqual(atSecond);
  expect(await call('idle', 'sk-mine-000000')).toEqual(atFirst);
  expect(await call('busy', 'sk-yours-00000')).toEqual(atFirst);
  const circuits = await until(async () => {
    const found = await world.app.db.collection('circuits').find().toArray();
    return found.length > 0 && found;
  });
  expect(JSON.stringify(circuits)).not.toMatch(/sk-mine|busy/);
});

describe('14: a stream never lies', () => {
  const overloaded = typed('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
  const twoTargets = (retry?: object) => ({
    strategy: { mode: 'fallback' },
    ...(retry && { retry }),
    targets: [{ provider: `@${world.slug}` }, { provider: `@${world.slug}` }],
  });
  const whole = eventStream(frames);
  const asked = () => ({ model: 'm', messages, stream: true });

  test.each([
    [
      'with an error event',
      stream([': hi\n\n', role, 'data: {"error":{"message":"x","code":"rate_limit_exceeded"}}\n\n'], 'end'),
    ],
    ['with an end', stream([], 'end')],
    ['with an end after its opening', stream([': ping\n\n', role], 'end')],
    ['with a broken connection', stream([], 'break')],
    ['with a broken connection after its opening', stream([role], 'break')],
    ['with a broken connection inside its first frame', stream([content[0]?.slice(0, 60) ?? ''], 'break')],
  ])('one that begins %s is tried again, and falls back', async (_name, script) => {
    world.provider.play(script, whole);
    const fallen = await world.call({ config: twoTargets(), body: asked() });
    expect([fallen.status, fallen.text]).toEqual([200, frames.join('')]);
    expect(fallen.headers['x-gateway-last-used-option-index']).toBe('config.targets[1]');
    world.provider.play(script, whole);
    const retried = await world.call({
      config: { provider: `@${world.slug}`, retry: { attempts: 1 } },
      body: asked(),
    });
    expect([retried.text, retried.headers['x-gateway-retry-attempt-count']]).toEqual([frames.join(''), '1']);
  });

  test.each([
    ['/v1/messages', () => `@${anthropic}/c`, [typed('message_start'), overloaded], 529, 'overloaded_error'],
    [
      '/v1/messages',
      () => model(),
      [role, 'data: {"error":{"message":"x","code":529,"type":"overloaded_error"}}\n\n'],
      529,
      'overloaded_error',
    ],
    [
      '/v1/chat/completions',
      model,
      ['data: {"error":{"message":"x","type":"rate_limit_error"}}\n\n'],
      429,
      'rate_limit_error',
    ],
    [
      '/v1/responses',
      model,
      [typed('response.created'), typed('error', { code: 'server_error', message: 'x' })],
      500,
      'api_error',
    ],
  ] as [string, () => string, string[], number, string][])(
    'one of %s that begins with an error and has no other target is that error',
    async (path, named, script, status, type) => {
      const { answer, record } = await world.logged(stream(script, 'wait'), {
        path,
        body: { model: named(), messages, input: 'x', max_tokens: 5, stream: true },
      });
      expect([answer.status, answer.json.error.type]).toEqual([status, type]);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(record).toMatchObject({ responseStatusCode: status, isSuccess: false });
    },
  );

  test('on_status_codes sees the status that the error stands for', async () => {
    world.provider.play(stream(['data: {"error":{"message":"x","code":529}}\n\n'], 'end'), whole);
    const config = { ...twoTargets(), strategy: { mode: 'fallback', on_status_codes: [529] } };
    expect((await world.call({ config, body: asked() })).text).toBe(frames.join(''));
  });

  const message = [
    typed('message_start', { message: {} }),
    typed('content_block_delta', { delta: { text: 'a' } }),
  ];
  const response = [
    typed('response.created', { sequence_number: 0 }),
    typed('response.output_text.delta', { sequence_number: 1 }),
  ];

  test.each([
    [
      '/v1/chat/completions',
      model,
      content,
      /\n\ndata: \{"error":\{"message":"[^"]+","type":"api_connection_error"[^\n]*\}\n\n$/,
    ],
    [
      '/v1/messages',
      () => `@${anthropic}/c`,
      message,
      /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"api_error"[^\n]*\n\n$/,
    ],
    [
      '/v1/responses',
      model,
      response,
      /\n\nevent: error\ndata: \{"type":"error"[^\n]*"sequence_number":2\}\n\n$/,
    ],
    ['/v1/messages', model, content, /\n\nevent: error\ndata: \{"type":"error"[^\n]*\n\n$/],
  ] as [string, () => string, string[], RegExp][])(
    'one of %s that breaks after its content ends with an error event and is not tried again',
    async (path, named, begun, end) => {
      for (const script of [
        stream(begun, 'break'),
        stream([...begun, 'data: {"begun":'], 'break'),
        stream(begun, 'end'),
      ]) {
        const { answer, record } = await world.logged(script, {
          path,
          headers: { 'x-gateway-config': JSON.stringify({ retry: { attempts: 3 } }) },
          body: { model: named(), messages, input: 'x', max_tokens: 5, stream: true },
        });
        expect(answer.text).toMatch(end);
        expect(answer.text).not.toMatch(/\[DONE\]|message_stop|response\.completed|"begun"/);
        expect(record?.isSuccess).toBe(false);
        expect(record?.error).toMatch(/in the middle|before it was complete/);
        expect(world.provider.requests).toHaveLength(1);
      }
    },
  );

  test('one that ends with an error of the provider passes, and is recorded as failed', async () => {
    const failed = [...content, 'data: {"error":{"message":"x"}}\n\n'];
    const { answer, record } = await world.logged(stream(failed, 'end'), { body: streamed() });
    expect(answer.text).toBe(failed.join(''));
    expect(record).toMatchObject({ isSuccess: false, responseStatusCode: 200 });
  });

  test('one of the raw proxy passes byte for byte, and breaks as it broke', async () => {
    const headers = { 'x-gateway-provider': `@${world.slug}` };
    const proxied = { path: '/v1/proxy/chat/completions', headers, body: { model: 'm', stream: true } };
    const raw = [role, 'data: {"error":{"message":"x"}}\n\n', 'half a line'];
    const { answer } = await world.logged(stream(raw, 'end'), proxied);
    expect(answer.text).toBe(raw.join(''));
    expect(JSON.parse(String(world.provider.requests[0]?.body))).toEqual({ model: 'm', stream: true });
    world.provider.play(stream(content, 'break'));
    await expect(world.call(proxied)).rejects.toThrow();
  });
});

describe('15: frames are passed on whole, at once and unaltered', () => {
  const first = async (response: IncomingMessage) => String(((await once(response, 'data')) as [Buffer])[0]);

  test('however they are cut, with pings and CR LF, up to the last byte', async () => {
    const text = [
      ': ping\r\n\r\n',
      ...frames.map((frame) => frame.replaceAll('\n', '\r\n')),
      ': über\r\n',
    ].join('');
    const bytes = Buffer.from(text);
    world.provider.play(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of bytes) if (!response.write(Buffer.from([byte]))) await once(response, 'drain');
      response.end();
    });
    expect((await world.call({ body: streamed() })).text).toBe(text);
  });

  test('each as soon as it is here, and proxies in front are told not to wait', async () => {
    let next: () => void = () => {};
    world.provider.play((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let sent = 0;
      next = () => void (sent < frames.length ? response.write(frames[sent++]) : response.end());
      next();
    });
    const response = await world.open({ body: streamed() });
    expect(response.headers['x-accel-buffering']).toBe('no');
    for (const frame of frames) {
      expect(await first(response)).toBe(frame);
      next();
    }
    next();
    await once(response, 'end');
  });

  test('a line of megabytes does not pile up', async () => {
    const line = `data: ${'x'.repeat(3_000_000)}\n\n`;
    const { answer } = await world.logged(eventStream([...content, line, 'data: [DONE]\n\n']), {
      body: streamed(),
    });
    expect(answer.text === `${content.join('')}${line}data: [DONE]\n\n`).toBe(true);
  });

  test('what is no event stream passes all the same, and the log says so', async () => {
    const { answer, record } = await world.logged(stream(['<html>', 'oops\n'], 'end'), { body: chat() });
    expect(answer.text).toBe('<html>oops\n');
    expect(record?.error).toMatch(/not those of this endpoint/);
  });
});

test('17: the raw proxy is metered like everything else', async () => {
  const { record } = await world.logged(json(200, chatAnswer('hi')), {
    path: '/v1/proxy/chat/completions',
    headers: { 'x-gateway-provider': `@${world.slug}` },
    body: { model: 'm', messages },
  });
  expect(record).toMatchObject({ isProxyCall: true, promptTokens: 3, completionTokens: 5, aiModel: 'm' });
});

describe('18: a credential stays between gateway and provider', () => {
  const echo: Script = (request, response, raw) =>
    json(401, {
      error: { message: `Incorrect key: ${request.headers.authorization} ${request.headers['x-api-key']}` },
    })(request, response, raw);

  test('also when the provider repeats it in an error or at the beginning of a stream', async () => {
    const inStream: Script = (request, response, raw) =>
      stream([`data: ${JSON.stringify({ error: { message: request.headers.authorization } })}\n\n`], 'end')(
        request,
        response,
        raw,
      );
    for (const [script, body] of [
      [echo, chat()],
      [echo, { model: `@${anthropic}/c`, max_tokens: 5, messages }],
      [inStream, streamed()],
    ] as [Script, object][]) {
      const { answer } = await world.logged(script, { body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain(STORED_KEY);
    }
    expect(await storedText(world.app)).not.toContain(STORED_KEY);
  });

  test('and a redirect takes nobody with a gateway key elsewhere', async () => {
    const { answer } = await world.logged(
      (_request, response) => void response.writeHead(307, { location: 'https://evil.example/' }).end(),
      { body: chat() },
    );
    expect([answer.status, answer.headers.location, answer.json.provider]).toEqual([
      307,
      undefined,
      'openai',
    ]);
    expect(await until(() => world.provider.requests.length)).toBe(1);
  });
});
