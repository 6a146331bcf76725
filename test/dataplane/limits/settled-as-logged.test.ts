import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answeredUsage } from '../../../src/dataplane/limits/answered-usage.ts';
import { Capture } from '../../../src/recording/log/answers/capture.ts';
import { decodeCounted } from '../../../src/recording/log/limits.ts';
import { answerText, findUsage } from '../../../src/recording/usage/index.ts';
import { eventually } from '../../support/eventually.ts';
import { eventStream, json } from '../../support/provider.ts';
import { type CallOptions, messages, startWorld, type World } from '../../support/world.ts';
import { limits } from './counted.ts';
import { allSettled, countersOf, keyWith } from './limited.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  // The first call under a budget waits for the prices, and on a slow machine the store then counts as lost for a moment.
  const { key } = await keyWith(world, limits);
  await eventually(async () => expect((await world.call({ key, ...chatOf(world.slug) })).status).toBe(200));
});
afterAll(() => world.stop());

const event = (value: unknown, name?: string) =>
  `${name ? `event: ${name}\n` : ''}data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const padding = (size: number) => 'many "words" with an é, '.repeat(Math.ceil(size / 24));

/** Answers of each format that reports in a way of its own, as long as `size` in their middle. */
const formats: Record<string, { type: string; text: (size: number) => string }> = {
  chat: {
    type: 'application/json',
    text: (size) =>
      JSON.stringify({
        ...{ model: 'gpt-4o', service_tier: 'priority', choices: [{ message: { content: padding(size) } }] },
        usage: { prompt_tokens: 90, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 64 } },
      }),
  },
  'a stream of chat': {
    type: 'text/event-stream',
    text: (size) =>
      event({ service_tier: 'flex', choices: [{ delta: { content: 'a' } }] }) +
      `: ${padding(size)}\n\n` +
      event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } }) +
      event('[DONE]'),
  },
  'a stream of messages': {
    type: 'text/event-stream; charset=utf-8',
    text: (size) =>
      event(
        {
          type: 'message_start',
          message: {
            usage: { input_tokens: 9, cache_read_input_tokens: 70, output_tokens: 1, speed: 'fast' },
          },
        },
        'message_start',
      ) +
      event({ type: 'content_block_delta', delta: { text: padding(size) } }) +
      event({ type: 'message_delta', usage: { output_tokens: 44 } }),
  },
  'a stream of responses': {
    type: 'text/event-stream',
    text: (size) =>
      event({
        type: 'response.completed',
        response: {
          output: [{ type: 'web_search_call', action: { type: 'search' } }],
          ...{ service_tier: 'priority', tools: [{ description: padding(size) }] },
          usage: { input_tokens: 5, output_tokens: 6, total_tokens: 11 },
        },
      }),
  },
  Gemini: {
    type: 'application/json',
    text: (size) =>
      JSON.stringify({
        candidates: [{ content: { parts: [{ text: padding(size) }] } }],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 6, thoughtsTokenCount: 7 },
      }),
  },
};

/** An answer of which so many bytes of the beginning are kept, as it comes in pieces. */
function captured(type: string, bytes: Buffer, pieces: readonly number[], kept: number) {
  const capture = new Capture(kept);
  capture.begin({ 'content-type': type });
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const length = pieces[piece % pieces.length] ?? 1;
    capture.add(bytes.subarray(at, at + length));
    at += length;
  }
  return capture.taken();
}

describe('what an answer reports', () => {
  it('is read alike by limits and by the log, however long it is, however it comes and wherever it ends', () => {
    const format = fc.constantFrom(...Object.values(formats));
    const size = fc.oneof(
      fc.nat(200),
      fc.nat(40_000),
      fc.nat(120_000),
      fc.constantFrom(14_000, 64_000, 80_000),
    );
    const pieces = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 100, max: 70_000 })),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    const kept = fc.constantFrom(0, 20_000, 70_000, 1_000_000);
    fc.assert(
      fc.property(
        format,
        size,
        pieces,
        kept,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (each, long, cuts, most, part) => {
          const whole = Buffer.from(each.text(long));
          const bytes = part > 0.5 ? whole : whole.subarray(0, Math.floor(whole.length * 2 * part));
          const ofLimits = answeredUsage(captured(each.type, bytes, cuts, 0));
          const ofLog = answerText(captured(each.type, bytes, [1400], most));
          expect(ofLimits?.text).toEqual(ofLog);
          expect(ofLimits?.usage).toEqual(ofLog && findUsage(ofLog));
        },
      ),
      { numRuns: 150 },
    );
  });
});

type Case = { options: (slug: string) => CallOptions; script: Parameters<World['logged']>[0] };

const chatOf = (slug: string): CallOptions => ({ body: { model: `@${slug}/gpt-5`, messages } });
const beside = { prompt_tokens: 90, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 64 } };
const chatWith = (given: object) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-5', service_tier: 'flex' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { ...beside, total_tokens: 95 },
  ...given,
});

const cases: Record<string, Case> = {
  'a tier that is named far from the end': {
    options: chatOf,
    script: json(200, chatWith({ choices: [{ message: { content: padding(30_000) } }] })),
  },
  'a stream with a long pause before its first frame': {
    options: (slug) => ({
      headers: { 'x-gateway-provider': `@${slug}` },
      path: '/v1/proxy/messages',
      body: { model: 'gpt-5', messages, max_tokens: 100, stream: true },
    }),
    script: eventStream([
      `: ${padding(5000)}\n\n`,
      formats['a stream of messages']?.text(5000).replace(',"speed":"fast"', '') ?? '',
    ]),
  },
  'a model that has a price by the name of the answer alone': {
    options: (slug) => ({ body: { model: `@${slug}/our-best`, messages } }),
    script: json(200, chatWith({})),
  },
  'messages over chat': {
    options: (slug) => ({
      path: '/v1/messages',
      body: { model: `@${slug}/gpt-5`, messages, max_tokens: 100 },
    }),
    script: json(200, chatWith({ usage: { ...beside, total_tokens: 105, reasoning_tokens: 10 } })),
  },
  'responses over chat, in a stream': {
    options: (slug) => ({
      path: '/v1/responses',
      body: { model: `@${slug}/gpt-5`, input: 'hello', stream: true },
    }),
    script: eventStream([
      event(
        chatWith({
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }],
          usage: null,
        }),
      ),
      event(chatWith({ object: 'chat.completion.chunk', choices: [] })),
      event('[DONE]'),
    ]),
  },
};

describe('a budget counts the cost that the log shows', () => {
  it.each(Object.entries(cases))('for %s', async (_name, { options, script }) => {
    const { id, key } = await keyWith(world, limits);
    const { answer, record } = await world.logged(script, { key, ...options(world.slug) });
    expect({ status: answer.status, error: answer.json?.error }).toEqual({ status: 200 });
    await allSettled(world);
    const counted = decodeCounted(record.limits ?? '[]');
    const amount = (unit: string) => counted.find(([name, each]) => each === unit && name.includes(id))?.[2];
    expect(record.costNanodollars).toBeGreaterThan(0);
    expect(amount('cost')).toBe(record.costNanodollars);
    expect(amount('tokens')).toBe(record.totalTokens);
  });
});

it('a tier whose price nobody knows counts at the dearest price that is known, and the log has no cost', async () => {
  const { id, key } = await keyWith(world, limits);
  const { record } = await world.logged(json(200, chatWith({ service_tier: 'priority' })), {
    key,
    ...chatOf(world.slug),
  });
  expect(record.costNanodollars).toBeNull();
  await allSettled(world);
  const [, , amount = 0] =
    decodeCounted(record.limits ?? '[]').find(([name, unit]) => unit === 'cost' && name.includes(id)) ?? [];
  // 90 tokens asked and 5 answered at the usual price of gpt-5, of which none were cached.
  expect(amount).toBeGreaterThanOrEqual(90 * 1250 + 5 * 10_000);
  await eventually(async () => {
    const { 'usage:cost': counter } = await countersOf(world, id);
    expect(counter).toMatchObject({ fill: amount, unpriced: 1 });
  });
});
