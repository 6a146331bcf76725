import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { isLong } from '../support/long.ts';
import { ask, bytesOf, eventFrames, fixture, recording, saidBy } from './replay.ts';

// Recorded answers of each provider, whole and streamed, through its dialect alone: no app, no network.

const text = 'Grüß Gott, 世界 🌍';

/** What `fixtures/<provider>/expected.json` says of the recordings `everything` and `text` beside it. */
type Expected = {
  /** How streams are recorded: the ending of their files. */
  stream: string;
  model: string;
  /** Pattern of the answer's id. */
  id: string;
  /** Of its two calls of tools. */
  ids: [string, string];
  blocks: object[];
  /** The provider's own words for the reason why an answer ends. */
  ends: { text: string; calls: string };
  usage: object;
};

const dialects = readdirSync(new URL('fixtures/', import.meta.url)).map((provider) => ({
  provider,
  ...(JSON.parse(fixture(`${provider}/expected.json`).toString()) as Expected),
}));

const body = { messages: [{ role: 'user', content: 'hi' }], tools: undefined };
const streamed = { body: { ...body, stream: true } };

describe.each(dialects)('$provider', ({ provider, stream, model, ...expected }) => {
  const everything = {
    id: expect.stringMatching(new RegExp(expected.id)),
    text,
    blocks: expected.blocks,
    calls: [
      { id: expected.ids[0], name: 'get_weather', arguments: { city: 'Zürich' } },
      { id: expected.ids[1], name: 'get_time', arguments: {} },
    ],
    finish: 'tool_calls',
    native: expected.ends.calls,
    usage: expected.usage,
    done: true,
  };

  test.each([
    ['whole', 'json', {}],
    ['streamed', stream, streamed],
  ])('text, thoughts and tool calls come %s as a chat completion', async (_, ending, options) => {
    const answer = await ask(provider, recording(`${provider}/everything.${ending}`), { model, ...options });
    const { text: bytes, broken } = await bytesOf(answer);
    expect(broken).toBeNull();
    expect(answer.status).toBe(200);
    expect(saidBy(bytes)).toMatchObject(everything);
  });

  test.each([
    ['whole', 'json', {}],
    ['streamed', stream, streamed],
  ])('with strict compliance an answer %s has nothing beyond the format', async (_, ending, options) => {
    const recorded = recording(`${provider}/everything.${ending}`);
    const answer = await ask(provider, recorded, { model, strict: true, ...options });
    const said = saidBy((await bytesOf(answer)).text);
    expect(said).toMatchObject({ ...everything, blocks: [], native: undefined });
  });

  test('a plain text comes the same whole and streamed, with the reason why it ends', async () => {
    for (const [ending, options] of [
      ['json', {}],
      [stream, streamed],
    ] as const) {
      const answer = await ask(provider, recording(`${provider}/text.${ending}`), { model, ...options });
      const said = saidBy((await bytesOf(answer)).text);
      expect(said).toMatchObject({ text, calls: [], finish: 'stop', native: expected.ends.text, done: true });
      expect(said.usage).toEqual(expected.usage);
    }
  });

  test('a stream says the same wherever it is cut into pieces', async () => {
    const recorded = recording(`${provider}/everything.${stream}`);
    // Each place in `npm run test:long`; else each fifth.
    for (let cutAt = 1; cutAt < recorded.body.length; cutAt += isLong ? 1 : 5) {
      const answer = await ask(provider, recorded, { model, cutAt, ...streamed });
      const { text: bytes, broken } = await bytesOf(answer);
      if (broken !== null) throw broken;
      expect({ cutAt, ...saidBy(bytes) }).toMatchObject({ cutAt, ...everything });
    }
  }, 120_000);

  test('a stream that stops early never looks complete', async () => {
    const recorded = recording(`${provider}/text.${stream}`);
    const whole = saidBy((await bytesOf(await ask(provider, recorded, { model, ...streamed }))).text);
    for (const share of [0, 0.1, 0.3, 0.5, 0.7]) {
      const part = { ...recorded, body: recorded.body.subarray(0, recorded.body.length * share) };
      const answer = await ask(provider, part, { model, ...streamed });
      const { text: bytes, broken } = await bytesOf(answer);
      expect(whole.done).toBe(true);
      expect(bytes).not.toContain('[DONE]');
      expect(bytes).not.toContain('"finish_reason":"stop"');
      if (answer.status === 200) expect(broken).toBeInstanceOf(Error);
      else expect(answer.status).toBe(502);
    }
  });
});

describe('errors', () => {
  const cases = [
    ['anthropic', 'anthropic/error-429.json', 429, 'rate_limit_error', 'This request would exceed', '7'],
    ['anthropic', 'anthropic/error-529.json', 529, 'overloaded_error', 'Overloaded', undefined],
    ['anthropic', 'anthropic/error-400.json', 400, 'invalid_request_error', 'max_tokens: 999999', undefined],
    ['google', 'google/error-429.json', 429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota', '17'],
    ['google', 'google/error-400.json', 400, 'INVALID_ARGUMENT', 'API key not valid', undefined],
    ['bedrock', 'bedrock/error-429.json', 429, 'ThrottlingException', 'Too many tokens', undefined],
    ['cohere', 'cohere/error-429.json', 429, 'rate_limit_error', 'You are using a Trial key', undefined],
  ] as const;

  test.each(cases)('%s: %s keeps its status, its type and how long to wait', async (...row) => {
    const [provider, path, status, type, message, wait] = row;
    const headers = {
      ...(wait && provider === 'anthropic' && { 'retry-after': wait }),
      ...(provider === 'bedrock' && {
        'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/',
      }),
      'x-request-id': 'r-1',
    };
    for (const options of [{}, streamed]) {
      const answer = await ask(provider, recording(path, status, headers), options);
      const { error, provider: name } = JSON.parse((await bytesOf(answer)).text);
      expect(answer.status).toBe(status);
      expect(error).toMatchObject({ type, param: null });
      expect(error.message).toContain(`${provider} error: ${message}`);
      expect(name).toBe(provider);
      expect(answer.headers['retry-after']).toBe(wait);
      expect(answer.headers['x-request-id']).toBe('r-1');
    }
  });

  test.each([
    ['anthropic', 'anthropic/overloaded-at-once.sse', 529],
    ['bedrock', 'bedrock/throttled-at-once.events.json', 429],
  ])(
    '%s: an error as the first event of a stream is an answer that can be tried elsewhere',
    async (...row) => {
      const [provider, path, status] = row;
      const answer = await ask(provider, recording(path), streamed);
      expect(answer.status).toBe(status);
      expect(JSON.parse((await bytesOf(answer)).text).error.message).toMatch(/Overloaded|Too many requests/);
    },
  );

  test.each([
    ['anthropic', 'anthropic/overloaded-later.sse', 'overloaded_error'],
    ['bedrock', 'bedrock/throttled-later.events.json', 'throttlingException'],
  ])('%s: an error after the first words is an error event and no end', async (provider, path, type) => {
    const answer = await ask(provider, recording(path), streamed);
    const { text: bytes, broken } = await bytesOf(answer);
    expect(broken).toBeNull();
    expect(saidBy(bytes)).toMatchObject({ text: 'Grüß', error: { type }, done: false });
  });

  test.each(['anthropic', 'google', 'bedrock', 'cohere'])(
    '%s: an answer that is none is a 502, a broken one is no answer',
    async (provider) => {
      for (const content of ['{"unexpected":true}', 'not json', '']) {
        const recorded = { status: 200, type: 'application/json', body: Buffer.from(content) };
        const answer = await ask(provider, recorded);
        expect({ provider, content, status: answer.status }).toEqual({ provider, content, status: 502 });
      }
      const html = { status: 503, type: 'text/html', body: Buffer.from('<html>Service Unavailable</html>') };
      const answer = await ask(provider, html);
      expect(answer.status).toBe(503);
      expect((await bytesOf(answer)).text).not.toContain('<html>');
      const reset = async () => {
        throw Object.assign(new TypeError('fetch failed'), {
          cause: Object.assign(new Error(), { code: 'ECONNRESET' }),
        });
      };
      await expect(ask(provider, html, { fetch: reset as never })).rejects.toThrow();
    },
  );

  test.each([
    ['anthropic', 'application/json'],
    ['anthropic', 'text/event-stream'],
    ['bedrock', 'application/vnd.amazon.eventstream'],
  ])('%s: an endless answer as %s is given up at a bound', async (provider, type) => {
    const piece = new Uint8Array(1024 * 1024).fill(97);
    let pieces = 0;
    const endless = ReadableStream.from(
      (function* () {
        for (; pieces < 1000; pieces++) yield piece;
      })(),
    );
    const fetch = async () => new Response(endless as never, { headers: { 'content-type': type } });
    const options = type === 'application/json' ? {} : streamed;
    const recorded = { status: 200, type, body: Buffer.alloc(0) };
    const answer = await ask(provider, recorded, { ...options, fetch: fetch as never });
    expect([answer.status, (await bytesOf(answer)).text]).toEqual([
      502,
      expect.stringContaining('too large'),
    ]);
    expect(pieces).toBeLessThan(140);
  });

  test('a provider that quotes a credential does not give it away', async () => {
    const body = Buffer.from(JSON.stringify({ error: { message: 'Invalid key the-key-of-the-provider.' } }));
    const answer = await ask('anthropic', { status: 401, type: 'application/json', body });
    const { text: bytes } = await bytesOf(answer);
    expect(bytes).toContain('Invalid key');
    expect(bytes).not.toContain('the-key-of-the-provider');
  });

  test.each([
    ['anthropic', 'anthropic/refusal', 'sse', 'content_filter'],
    ['google', 'google/safety', 'sse', 'content_filter'],
    ['bedrock', 'bedrock/guardrail', 'events.json', 'content_filter'],
    ['cohere', 'cohere/limit', 'sse', 'length'],
  ])('%s: %s says why it ends', async (provider, path, stream, finish) => {
    const whole = saidBy((await bytesOf(await ask(provider, recording(`${path}.json`)))).text);
    const inChunks = saidBy(
      (await bytesOf(await ask(provider, recording(`${path}.${stream}`), streamed))).text,
    );
    expect([whole.finish, inChunks.finish]).toEqual([finish, finish]);
  });
});

describe('frames of Amazon’s streams with Anthropic’s events', () => {
  const claude = {
    endpoint: 'messages',
    path: '/messages',
    model: 'anthropic.claude-x',
    ...streamed,
  } as const;
  const event = { type: 'message_stop' };
  const frames = (...pairs: unknown[]) => ({
    status: 200,
    type: 'application/vnd.amazon.eventstream',
    body: eventFrames(Buffer.from(JSON.stringify(pairs))),
  });
  const chunk = ['chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64') }];

  test('come as events wherever they are cut, exceptions as errors', async () => {
    const recorded = frames(chunk, ['exception:throttlingException', { message: 'Slow down.' }]);
    const error = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } };
    for (let cutAt = 1; cutAt < recorded.body.length; cutAt++) {
      const { text: bytes, broken } = await bytesOf(await ask('bedrock', recorded, { ...claude, cutAt }));
      expect([cutAt, broken]).toEqual([cutAt, null]);
      expect(bytes).toBe(
        `event: message_stop\ndata: ${JSON.stringify(event)}\n\nevent: error\ndata: ${JSON.stringify(error)}\n\n`,
      );
    }
  });

  test('that claim to be larger than any is are not waited for, whatever their type says', async () => {
    let sent = 0;
    async function* endless() {
      yield Buffer.from([0xff, 0xff, 0xff, 0xff]);
      for (; sent < 1000; sent++) yield Buffer.alloc(64 * 1024, '\n');
    }
    const fetch = async () =>
      new Response(ReadableStream.from(endless()) as never, {
        headers: { 'content-type': 'text/event-stream' },
      });
    const { broken } = await bytesOf(await ask('bedrock', frames(), { ...claude, fetch: fetch as never }));
    expect(broken).toBeInstanceOf(Error);
    expect(sent).toBeLessThan(10);
  });

  test('that are damaged or cut off end the stream as broken', async () => {
    const whole = frames(chunk, chunk);
    const half = whole.body.length / 2;
    const damaged = Buffer.from(whole.body);
    damaged.writeUInt8(damaged.readUInt8(half + 60) ^ 1, half + 60);
    for (const body of [damaged, whole.body.subarray(0, -5)]) {
      const { text: bytes, broken } = await bytesOf(await ask('bedrock', { ...whole, body }, claude));
      expect(bytes.match(/message_stop/g)).toHaveLength(2);
      expect(broken).toBeInstanceOf(Error);
    }
  });
});
