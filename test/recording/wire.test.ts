import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withoutSecrets } from '../../src/recording/log/answers/masking.ts';
import { chatAnswer, eventStream, json, type Script } from '../support/provider.ts';
import { bodiesOf } from '../support/records.ts';
import { type CallOptions, messages, STORED_KEY, startWorld, type World } from '../support/world.ts';

const LIMIT = 2000;
let world: World;
let anthropic: string;

beforeAll(async () => {
  world = await startWorld({ LOG_BODY_MAX_BYTES: String(LIMIT) });
  anthropic = await world.makeProvider({ ai_provider_id: 'anthropic' });
});
afterAll(() => world.stop());

async function stored(scripts: Script | Script[], options: CallOptions) {
  const {
    answer,
    records: [record],
  } = await world.logged(scripts, options);
  if (!record) throw new Error('The call was not recorded.');
  return { answer, record, bodies: await bodiesOf(world.app, record) };
}

const said = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-test',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
});

const frames = [
  { type: 'message_start', message: { ...said(''), content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 2 },
  },
  { type: 'message_stop' },
].map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);

describe('a provider with a format of its own', () => {
  const claude = () => ({ model: `@${anthropic}/claude-test`, max_tokens: 5, messages });

  test('is shown as it was asked and as it answered, beside what the caller said and got', async () => {
    const script = json(200, said('hi'), { 'request-id': 'req_1' });
    const { answer, bodies, record } = await stored(script, {
      body: claude(),
      config: { override_params: { temperature: 0.5 } },
    });
    expect(JSON.parse(bodies?.request.body ?? '')).toEqual(claude());
    expect(JSON.parse(bodies?.finalUntransformedRequest?.body ?? '')).toEqual({
      ...claude(),
      model: 'claude-test',
      temperature: 0.5,
    });
    const [asked] = world.provider.requests.slice(-1);
    expect(bodies?.transformedRequest).toEqual({
      headers: expect.objectContaining({ 'x-api-key': '[redacted]', 'anthropic-version': '2023-06-01' }),
      body: asked?.body.toString(),
      truncated: false,
    });
    expect(bodies?.response.body).toBe(answer.text);
    expect(bodies?.originalResponse).toEqual({
      headers: expect.objectContaining({ 'request-id': 'req_1' }),
      body: JSON.stringify(said('hi')),
      truncated: false,
    });
    expect(JSON.stringify(bodies)).not.toContain(STORED_KEY);
    const shown = await world.call({ method: 'GET', path: `/v1/logs/${record._id}` });
    expect(shown.json).toMatchObject({
      finalUntransformedRequest: {
        body: { temperature: 0.5 },
        headers: { 'content-type': 'application/json' },
      },
      transformedRequest: { body: { messages: [{ role: 'user' }] } },
      originalResponse: { body: said('hi'), headers: { 'request-id': 'req_1' } },
    });
  });

  test('streams the same', async () => {
    const { answer, bodies } = await stored(eventStream(frames), { body: { ...claude(), stream: true } });
    expect(answer.text).toMatch(/"hi".*\[DONE\]\n\n$/s);
    expect(bodies?.originalResponse?.body).toBe(frames.join(''));
  });

  test("its error is kept in the provider's own words", async () => {
    const error = { type: 'error', error: { type: 'invalid_request_error', message: 'no such thing' } };
    const { answer, bodies } = await stored(json(400, error), { body: claude() });
    expect([answer.status, bodies?.originalResponse?.body]).toEqual([400, JSON.stringify(error)]);
  });

  test('only the beginning of a long answer is kept', async () => {
    const { bodies } = await stored(json(200, said('x'.repeat(LIMIT * 20))), { body: claude() });
    expect(bodies?.originalResponse?.body).toHaveLength(LIMIT);
    expect(bodies?.originalResponse?.truncated).toBe(true);
  });

  test('of several tries the last is shown', async () => {
    const busy = json(503, { type: 'error', error: { type: 'overloaded_error', message: 'busy' } });
    const { answer, bodies } = await stored([busy, json(200, said('now'))], {
      body: claude(),
      config: { retry: { attempts: 1, on_status_codes: [503] } },
    });
    expect(world.provider.requests).toHaveLength(2);
    expect([answer.status, bodies?.originalResponse?.body]).toEqual([200, JSON.stringify(said('now'))]);
  });

  test('a compressed answer is kept as what it says', async () => {
    const compressed: Script = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(said('hi'))));
    };
    const { answer, bodies } = await stored(compressed, { body: claude() });
    expect([answer.status, bodies?.originalResponse?.body]).toEqual([200, JSON.stringify(said('hi'))]);
  });

  test('an answer with a number for a status that is none gets through', async () => {
    const odd: Script = (_request, response) => {
      response.writeHead(999, { 'content-length': 2 }).end('{}');
    };
    const { answer } = await stored(odd, {
      method: 'GET',
      path: '/v1/models/m',
      headers: { 'x-gateway-provider': `@${world.slug}` },
    });
    expect(answer.status).toBe(999);
  });

  test('nothing of it is kept where no bodies shall be', async () => {
    const { bodies } = await stored(json(200, said('hi')), {
      body: claude(),
      headers: { 'x-gateway-debug': 'false' },
    });
    expect(bodies).toBeNull();
  });
});

test('a provider that never got the request is shown neither asked nor answering', async () => {
  const { answer, bodies } = await stored(json(200, said('hi')), {
    body: { model: `@${anthropic}/claude-test`, messages: 'none' },
  });
  expect(answer.status).toBe(400);
  expect([bodies?.transformedRequest, bodies?.originalResponse]).toEqual([null, undefined]);
});

test("a call that is put into the provider's format shows that too", async () => {
  const { answer, bodies } = await stored(json(200, chatAnswer('hi')), {
    path: '/v1/messages',
    body: { model: `@${world.slug}/gpt-test`, max_tokens: 5, messages },
  });
  expect(answer.json).toMatchObject({ type: 'message', content: [{ type: 'text', text: 'hi' }] });
  expect(bodies?.response.body).toBe(answer.text);
  expect(bodies?.originalResponse?.body).toBe(JSON.stringify(chatAnswer('hi')));
  expect(JSON.parse(bodies?.transformedRequest?.body ?? '')).toMatchObject({ model: 'gpt-test', messages });
  expect(JSON.parse(bodies?.finalUntransformedRequest?.body ?? '')).toMatchObject({
    max_tokens: 5,
    messages,
  });
});

test('a provider that speaks the format of the caller has nothing further to show', async () => {
  const { bodies } = await stored(json(200, chatAnswer('hi')), {});
  expect(bodies?.finalUntransformedRequest).toBeUndefined();
  expect(bodies?.originalResponse).toBeUndefined();
});

test('of parallel questions one is shown with its own answer', async () => {
  const bedrock = await world.makeProvider({
    ai_provider_id: 'bedrock',
    key: undefined,
    configurations: {
      ...{ aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: 'a'.repeat(40) },
      ...{ aws_region: 'eu-west-1', custom_host: world.provider.url },
    },
  });
  let answerSecond = () => undefined as unknown;
  const titan: Script = (request, response) => {
    const { inputText } = JSON.parse(String(request.body)) as { inputText: string };
    const answer = () =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ embedding: [1], inputTextTokenCount: 1, said: inputText }));
    if (inputText === 'second') answerSecond = answer;
    else answer();
    // The second comes last, whatever the order in which they were asked.
    if (world.provider.requests.length === 3) setTimeout(answerSecond, 20);
  };
  const { answer, bodies } = await stored([titan, titan, titan], {
    path: '/v1/embeddings',
    body: { model: `@${bedrock}/amazon.titan-embed-text-v2:0`, input: ['first', 'second', 'third'] },
  });
  expect(answer.status).toBe(200);
  const asked = JSON.parse(bodies?.transformedRequest?.body ?? '').inputText;
  expect(JSON.parse(bodies?.originalResponse?.body ?? '').said).toBe(asked);
});

test('a stream that begins with an error is kept as it came', async () => {
  const frame = `data: ${JSON.stringify({ error: { message: 'overloaded', code: 503 } })}\n\n`;
  const { bodies } = await stored(eventStream([frame]), {
    path: '/v1/messages',
    body: { model: `@${world.slug}/gpt-test`, max_tokens: 5, messages, stream: true },
  });
  expect(bodies?.originalResponse).toMatchObject({
    headers: { 'content-type': expect.stringContaining('text/event-stream') },
    body: frame,
  });
});

describe('secrets that a provider quotes', () => {
  const KEY = 'a-key-that-looks-like-nothing';
  const HEADER = 'what the integration "adds"';
  let quoting: Record<string, string>;
  beforeAll(async () => {
    const secrets = { key: KEY, custom_headers: undefined };
    const configurations = { custom_host: world.provider.url, custom_headers: { 'x-team': HEADER } };
    quoting = {
      openai: await world.makeProvider({ ...secrets, configurations }),
      anthropic: await world.makeProvider({ ...secrets, configurations, ai_provider_id: 'anthropic' }),
    };
  });

  const quote = (status: number, before = '') =>
    json(
      status,
      { error: { message: `${before}You sent ${KEY} and ${HEADER}.` }, ...said('hi'), choices: [] },
      { 'x-echo': KEY },
    );

  test.each([
    ['openai', '/v1/chat/completions', 401],
    ['openai', '/v1/chat/completions', 200],
    ['openai', '/v1/messages', 401],
    ['openai', '/v1/proxy/echo', 200],
    ['anthropic', '/v1/chat/completions', 401],
    ['anthropic', '/v1/chat/completions', 200],
  ])('reach no log: %s at %s with %s', async (kind, path, status) => {
    const { bodies } = await stored(quote(status), {
      path,
      headers: { 'x-gateway-provider': `@${quoting[kind]}` },
      body: { model: 'm', max_tokens: 5, messages },
    });
    const logged = JSON.stringify(bodies);
    expect(logged).toContain('[redacted]');
    for (const secret of [KEY, JSON.stringify(HEADER).slice(1, -1)])
      expect(logged).not.toContain(JSON.stringify(secret).slice(1, -1));
  });

  test.each([1, 8, 20])('not even in part, cut off %s characters from their end', async (cut) => {
    const before = 'x'.repeat(LIMIT - '{"error":{"message":"You sent '.length - KEY.length + cut);
    const { bodies } = await stored(quote(401, before), {
      headers: { 'x-gateway-provider': `@${quoting.openai}` },
      body: { model: 'm', messages },
    });
    expect(bodies?.response.body).not.toContain(KEY.slice(0, 8));
    expect(bodies?.response.truncated).toBe(true);
  });

  test.each([
    ['an answer of which the rest is not here', false, 'You sent '],
    ['a whole one', true, `You sent ${KEY.slice(0, 12)}`],
  ])('a beginning of one goes at the end of %s', (_what, isComplete, expected) => {
    const head = Buffer.from(`You sent ${KEY.slice(0, 12)}`);
    const answer = {
      headers: {},
      size: isComplete ? head.length : 100_000,
      head,
      tail: Buffer.alloc(0),
      isComplete,
    };
    expect(String(withoutSecrets(answer, [KEY]).head)).toBe(expected);
  });
});
