import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chatFrames, json, type Script } from '../../support/provider.ts';
import { someRecordsOf } from '../../support/records.ts';
import { messages, startWorld, until, type World } from '../../support/world.ts';
import { aBound, answered, countedFrames, ended, exactly, limits, NONE, silent, USED } from './counted.ts';
import { keyWith, openReservations, waitingCalls } from './limited.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const chat = (more: object = {}) => ({ model: `@${world.slug}/gpt-4o`, messages, ...more });

/** Frames after which nothing comes. */
const upTo =
  (frames: string[]): Script =>
  (_request, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of frames) answer.write(frame);
  };

/** Leaves a stream once a piece of it says this. */
async function leaveAfter(key: string, words: string, path = '/v1/chat/completions', body: object = chat()) {
  const leave = new AbortController();
  const answer = await world.open({
    key,
    path,
    headers: { 'x-gateway-provider': `@${world.slug}` },
    body: { ...body, stream: true },
    signal: leave.signal,
  });
  answer.on('error', () => undefined);
  let text = '';
  answer.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  await until(() => text.includes(words));
  leave.abort();
}

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const messageFrames = [
  event('message_start', {
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 3 } },
  }),
  event('content_block_delta', {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'first words' },
  }),
];
const responseFrames = [
  event('response.created', { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } }),
  event('response.output_text.delta', { type: 'response.output_text.delta', delta: 'first words' }),
];

describe('nothing stays reserved after a caller left', () => {
  it('in the middle of its own body, which takes nothing', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(answered);
    const sending = httpRequest(`${world.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': key, 'content-type': 'application/json', 'content-length': '100000' },
    });
    sending.on('error', () => undefined);
    sending.write('{"model":"');
    await once(sending, 'socket');
    await new Promise<void>((resolve) => setTimeout(resolve, 50));
    sending.destroy();
    await ended(world, id, exactly(NONE));
    expect(world.provider.requests).toHaveLength(0);
  });

  it('before the first byte of the answer', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(silent);
    const leave = new AbortController();
    const gone = world.call({ key, body: chat(), signal: leave.signal });
    await until(() => world.provider.requests.length === 1);
    expect(await openReservations(world)).toBe(1);
    leave.abort();
    await gone.catch(() => undefined);
    await ended(world, id, aBound);
  });

  it('between the head of an answer and its first byte', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play((_request, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.flushHeaders();
    });
    const leave = new AbortController();
    const gone = world.call({ key, body: chat({ stream: true }), signal: leave.signal });
    await until(() => world.provider.requests.length === 1);
    leave.abort();
    await gone.catch(() => undefined);
    await ended(world, id, aBound);
  });

  it('in the middle of a stream', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(upTo(chatFrames(['first words', 'second words']).slice(0, 2)));
    await leaveAfter(key, 'second words');
    await ended(world, id, aBound);
  });

  it('one frame before the usage', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(upTo(countedFrames(['first words']).slice(0, 2)));
    await leaveAfter(key, '"stop"');
    await ended(world, id, aBound);
  });

  it('one frame after the usage, which is counted as it is', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(upTo(countedFrames(['first words']).slice(0, 3)));
    await leaveAfter(key, 'total_tokens', '/v1/chat/completions', {
      ...chat(),
      stream_options: { include_usage: true },
    });
    await ended(world, id, exactly(USED));
  });

  it.each([
    ['messages', '/v1/messages', messageFrames],
    ['responses', '/v1/responses', responseFrames],
    ['messages that are passed on', '/v1/proxy/messages', messageFrames],
    ['responses that are passed on', '/v1/proxy/responses', responseFrames],
  ])('in the middle of a stream of %s', async (_what, path, frames) => {
    const { id, key } = await keyWith(world, limits);
    const isMessages = path.endsWith('messages');
    const kind = isMessages && !path.includes('proxy') ? 'anthropic' : 'openai';
    const slug = await world.makeProvider({ ai_provider_id: kind });
    world.provider.play(upTo(frames));
    const model = path.includes('proxy')
      ? 'gpt-4o'
      : `@${slug}/${kind === 'openai' ? 'gpt-4o' : 'claude-3-5-haiku-latest'}`;
    await leaveAfter(key, 'first words', path, {
      model,
      ...(isMessages ? { messages, max_tokens: 500 } : { input: 'hello there' }),
    });
    await ended(world, id, ({ requests, tokens, cost }) => {
      expect(requests).toBe(1);
      expect(tokens).toBeGreaterThan(8);
      expect(cost).toBeGreaterThan(0);
    });
  });

  it('while its call waits for what others hold, and the provider is not asked', async () => {
    const { id, key } = await keyWith(world, {
      usage: [{ type: 'tokens', creditLimit: 2000, waitMs: 60_000 }],
    });
    let release = () => {};
    world.provider.play(async (request, response, raw) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await answered(request, response, raw);
    }, answered);
    const first = world.call({ key, body: chat({ max_tokens: 1500 }) });
    await until(() => world.provider.requests.length === 1);
    const leave = new AbortController();
    const gone = world.call({ key, body: chat({ max_tokens: 1500 }), signal: leave.signal });
    await until(async () => (await waitingCalls(world)) === 1);
    leave.abort();
    await gone.catch(() => undefined);
    // It has left the queue while the other call still holds what it waited for.
    await until(async () => (await waitingCalls(world)) === 0);
    release();
    expect((await first).status).toBe(200);
    await ended(world, id, (used) => expect(used.tokens).toBe(8));
    expect(world.provider.requests).toHaveLength(1);
  });

  it('while its call waits for a rate, and the provider is not asked', async () => {
    const { key } = await keyWith(world, { rates: [{ unit: 'rpm', value: 1, waitMs: 60_000 }] });
    world.provider.play(answered);
    expect((await world.call({ key, body: chat() })).status).toBe(200);
    const leave = new AbortController();
    const traceId = world.newTrace();
    const headers = { 'x-gateway-trace-id': traceId };
    const gone = world.call({ key, headers, body: chat(), signal: leave.signal });
    await until(async () => (await waitingCalls(world)) === 1);
    leave.abort();
    await gone.catch(() => undefined);
    await until(async () => (await waitingCalls(world)) === 0);
    const [record] = await someRecordsOf(world.app, { traceId });
    expect(record).toMatchObject({ responseStatusCode: 499 });
    expect(world.provider.requests).toHaveLength(1);
  });

  it('while its call waits for the next attempt', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(json(503, {}), silent);
    const leave = new AbortController();
    const gone = world.call({
      key,
      config: { provider: `@${world.slug}`, retry: { attempts: 3 } },
      body: { model: 'gpt-4o', messages },
      signal: leave.signal,
    });
    await until(() => world.provider.requests.length === 2);
    leave.abort();
    await gone.catch(() => undefined);
    await ended(world, id, aBound);
  });
});

describe('a provider that ignores the cap', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 5000, total_tokens: 5003 };
  const long = json(200, {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
    usage,
  });

  it('is counted by what it reports; nobody is admitted until the limit is above it', async () => {
    const { id, key } = await keyWith(world, {
      usage: [{ type: 'tokens', creditLimit: 2000, waitMs: 0 }],
    });
    world.provider.play(long);
    expect((await world.call({ key, body: chat({ max_tokens: 300 }) })).status).toBe(200);
    await ended(world, id, ({ tokens }) => expect(tokens).toBe(5003));
    const refused = await world.call({ key, body: chat({ max_tokens: 10 }) });
    expect(refused).toMatchObject({ status: 412, json: { limit: { used: 5003, value: 2000, held: 0 } } });
    expect(world.provider.requests).toHaveLength(1);
    const { data } = await world.app.graphql(
      'query ($id: ID!) { limitCounters(limitId: $id) { data { used overshoot remaining status } } }',
      { id: refused.json.limit.id },
    );
    expect(data.limitCounters.data).toEqual([
      { used: 5003, overshoot: expect.any(Number), remaining: 0, status: 'exhausted' },
    ]);
    expect(data.limitCounters.data[0].overshoot).toBeGreaterThan(4000);
  });
});
