import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { LogRecord } from '../../../src/recording/log/record.ts';
import { chatAnswer, chatFrames, eventStream, json } from '../../support/provider.ts';
import { someRecordsOf } from '../../support/records.ts';
import { messages, startWorld, until, type World } from '../../support/world.ts';
import { allSettled, keyWith, providerWith } from './limited.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const ok = json(200, chatAnswer('hello', usage));
const chat = (more: object = {}) => ({ model: `@${world.slug}/gpt-4o`, messages, ...more });
const sent = () => JSON.parse(world.provider.requests.at(-1)?.body.toString() ?? '{}');

describe('a rate of requests', () => {
  it('refuses the call after the last, says when to come again and whose limit it is', async () => {
    const { id, key } = await keyWith(world, { rates: [{ unit: 'rpm', value: 2 }] });
    world.provider.play(ok);
    const first = await world.call({ key, body: chat() });
    expect(first.headers['x-gateway-ratelimit-limit-requests']).toBe('2');
    expect(first.headers['x-gateway-ratelimit-remaining-requests']).toBe('1');
    await world.call({ key, body: chat() });
    const traceId = world.newTrace();
    const refused = await world.call({ key, body: chat(), headers: { 'x-gateway-trace-id': traceId } });
    expect(refused.status).toBe(429);
    expect(refused.json).toMatchObject({
      error: { type: 'rate_limit_exceeded', code: 'rate_limit_exceeded' },
      limit: { level: 'api_key', type: 'rate_limit', unit: 'requests', value: 2, value_key: null },
    });
    expect(refused.json.limit.id).toContain(id);
    expect(refused.json.error.message).toContain('2 requests in a minute');
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(30);
    expect(Number(refused.headers['retry-after-ms'])).toBeLessThanOrEqual(seconds * 1000);
    expect(refused.headers['x-should-retry']).toBe('true');
    expect(refused.headers['x-ratelimit-remaining-requests']).toBe('0');
    expect(world.provider.requests).toHaveLength(2);
    const [record] = await someRecordsOf(world.app, { traceId });
    expect((record as LogRecord).responseStatusCode).toBe(429);
    const { data } = await world.app.graphql(
      'query ($id: ID!) { log(id: $id) { refusal { code level unit value needed } limits { amount } } }',
      { id: record?._id },
    );
    expect(data.log).toEqual({
      refusal: { code: 'rate_limit_exceeded', level: 'api_key', unit: 'requests', value: 2, needed: 1 },
      limits: [],
    });
  });

  it('refuses before a body is read', async () => {
    const { key } = await keyWith(world, { rates: [{ unit: 'rpm', value: 0 }] });
    const refused = await world.call({ key, body: 'no json at all' });
    expect(refused.status).toBe(429);
    expect(refused.headers['x-should-retry']).toBe('false');
    expect(refused.headers['retry-after']).toBeDefined();
  });
});

describe('a budget', () => {
  it('ends the calls of a key once it is used up', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'requests', creditLimit: 1 }] });
    world.provider.play(ok);
    expect((await world.call({ key, body: chat() })).status).toBe(200);
    await allSettled(world);
    const { record } = await world.logged(ok, { body: chat(), key });
    expect(record.refusal).toContain('usage_limit_reached');
    const refused = await world.call({ key, body: chat() });
    expect(refused.status).toBe(412);
    expect(refused.json).toMatchObject({
      error: { type: 'budget_exceeded', code: 'usage_limit_reached' },
      limit: { level: 'api_key', type: 'usage_limit', unit: 'requests', value: 1, used: 1, resets_at: null },
    });
    expect(refused.headers['x-should-retry']).toBe('false');
    expect(refused.headers['retry-after']).toBeUndefined();
  });

  it('refuses what may come to more than is there, and says what would fit', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'cost', creditLimit: 0.01 }] });
    world.provider.play(ok);
    const refused = await world.call({ key, body: chat({ max_tokens: 2000 }) });
    expect(refused.status).toBe(412);
    expect(refused.json.error.code).toBe('request_exceeds_limit');
    expect(refused.json.limit).toMatchObject({ unit: 'cost', value: 0.01, used: 0, held: 0 });
    expect(refused.json.limit.needed).toBeGreaterThan(0.01);
    expect(world.provider.requests).toHaveLength(0);
    const cap = Number(/A cap of ([\d,]+) tokens/.exec(refused.json.error.message)?.[1]?.replace(',', ''));
    expect(cap).toBeGreaterThan(500);
    expect((await world.call({ key, body: chat({ max_tokens: cap }) })).status).toBe(200);
    expect((await world.call({ key, body: chat({ max_tokens: cap + 1 }) })).status).toBe(412);
  });

  it('caps an answer of which nobody says how long it may be', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 2000 }] });
    world.provider.play(ok);
    const answer = await world.call({ key, body: chat() });
    expect(answer.status).toBe(200);
    const cap = sent().max_completion_tokens;
    expect(cap).toBeGreaterThanOrEqual(256);
    expect(cap).toBeLessThan(2000);
    expect(answer.headers['x-gateway-output-cap']).toMatch(new RegExp(`^${cap}; limit=api_key:`));
  });

  it('leaves a cap of the caller, and calls under soft limits, as they are', async () => {
    const soft = await keyWith(world, {
      usage: [{ type: 'tokens', creditLimit: 2000, enforcement: 'soft' }],
    });
    const hard = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 2000 }] });
    world.provider.play(ok);
    const answer = await world.call({ key: soft.key, body: chat() });
    expect(sent()).toEqual({ model: 'gpt-4o', messages });
    expect(answer.headers['x-gateway-output-cap']).toBeUndefined();
    await world.call({ key: hard.key, body: chat({ max_tokens: 300 }) });
    expect(sent()).toEqual({ model: 'gpt-4o', messages, max_tokens: 300 });
  });

  it('tells a call that what is left is held by others', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 2000 }] });
    let release = () => {};
    world.provider.play(async (request, response, raw) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await ok(request, response, raw);
    });
    const first = world.call({ key, body: chat({ max_tokens: 1500 }) });
    await until(() => world.provider.requests.length === 1);
    const second = await world.call({ key, body: chat({ max_tokens: 1500 }) });
    release();
    expect((await first).status).toBe(200);
    expect(second.status).toBe(412);
    expect(second.json.error.code).toBe('usage_limit_reserved');
    expect(second.headers['x-should-retry']).toBe('true');
    expect(Number(second.headers['retry-after-ms'])).toBeGreaterThan(0);
  });

  it('admits of many at once no more than it can pay', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 4000, waitMs: 0 }] });
    world.provider.play(async (request, response, raw) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await json(200, chatAnswer('x', { prompt_tokens: 100, completion_tokens: 900, total_tokens: 1000 }))(
        request,
        response,
        raw,
      );
    });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => world.call({ key, body: chat({ max_tokens: 900 }) })),
    );
    const admitted = answers.filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThan(0);
    expect(admitted).toBeLessThanOrEqual(4);
    await allSettled(world);
  });

  it('is told by the log of each call that it counted', async () => {
    const { key } = await keyWith(world, {
      usage: [{ type: 'cost', creditLimit: 1 }],
      rates: [{ unit: 'rpm', value: 10 }],
    });
    const { record } = await world.logged(ok, { body: chat(), key });
    const { data } = await world.app.graphql(
      'query ($id: ID!) { log(id: $id) { refusal { code } limits { unit amount } } }',
      { id: record._id },
    );
    // Three tokens at 2.50 and five at 10 dollars a million.
    expect(data.log).toEqual({
      refusal: null,
      limits: [
        { unit: 'requests', amount: 1 },
        { unit: 'cost', amount: 0.0000575 },
      ],
    });
  });

  it('refuses unknown prices where it is told to', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'cost', creditLimit: 1, unpriced: 'refuse' }] });
    world.provider.play(ok);
    const refused = await world.call({ key, body: chat({ model: `@${world.slug}/no-such-model` }) });
    expect(refused.status).toBe(412);
    expect(refused.json.error.code).toBe('cost_not_bounded');
    expect(world.provider.requests).toHaveLength(0);
  });

  it('counts eight answers where eight are asked for', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 2000 }] });
    world.provider.play(ok);
    expect((await world.call({ key, body: chat({ max_tokens: 300, n: 8 }) })).status).toBe(412);
    expect((await world.call({ key, body: chat({ max_tokens: 300, n: 2 }) })).status).toBe(200);
  });

  it('counts an image by what models make of it, and not by its bytes', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 20_000 }] });
    world.provider.play(ok);
    const url = `data:image/png;base64,${'A'.repeat(1024 * 1024)}`;
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
    ];
    const body = chat({ messages: [{ role: 'user', content }], max_tokens: 100 });
    expect((await world.call({ key, body })).status).toBe(200);
  });
});

describe('a provider at its own limit', () => {
  it('gives its turn to the next target', async () => {
    const slug = await providerWith(world, { rates: [{ unit: 'rpm', value: 1 }] });
    world.provider.play(ok);
    const config = {
      strategy: { mode: 'fallback' },
      targets: [
        { provider: `@${slug}`, retry: { attempts: 3 } },
        { provider: `@${world.slug}`, override_params: { user: 'second' } },
      ],
    };
    const ask = () => world.call({ body: { model: 'gpt-4o', messages }, config });
    const first = await ask();
    expect(first.headers['x-gateway-last-used-option-index']).toBe('config.targets[0]');
    const second = await ask();
    expect(second.status).toBe(200);
    expect(second.headers['x-gateway-last-used-option-index']).toBe('config.targets[1]');
    expect(world.provider.requests).toHaveLength(2);
  });

  it('is never asked again by a retry', async () => {
    const slug = await providerWith(world, { rates: [{ unit: 'rpm', value: 0 }] });
    world.provider.play(ok);
    const answer = await world.call({
      body: { model: 'gpt-4o', messages },
      config: { provider: `@${slug}`, retry: { attempts: 5 } },
    });
    expect(answer.status).toBe(429);
    expect(answer.json.limit).toMatchObject({ level: 'provider', name: slug });
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['x-ratelimit-limit-requests']).toBe('0');
    expect(answer.headers['x-gateway-retry-attempt-count']).toBe('0');
    expect(world.provider.requests).toHaveLength(0);
  });

  it('does not let a caller go on who is at a limit of its own', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 1000 }] });
    world.provider.play(ok);
    const target = { provider: `@${world.slug}` };
    const answer = await world.call({
      key,
      body: { model: 'gpt-4o', messages, max_tokens: 5000 },
      config: { strategy: { mode: 'fallback' }, targets: [target, target] },
    });
    expect(answer.status).toBe(412);
    expect(world.provider.requests).toHaveLength(0);
  });
});

describe('a stream under a limit', () => {
  it('reports its usage to the gateway and not to the caller, whatever the config drops', async () => {
    const { key } = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 100_000 }] });
    const frame = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage };
    const [words, stop, done] = chatFrames(['hello']);
    world.provider.play(eventStream([words, stop, `data: ${JSON.stringify(frame)}\n\n`, done].map(String)));
    const answer = await world.call({
      key,
      body: { model: 'gpt-4o', messages, stream: true },
      config: { provider: `@${world.slug}`, drop_params: ['stream_options'] },
    });
    expect(sent().stream_options).toEqual({ include_usage: true });
    expect(answer.text).not.toContain('usage');
    expect(answer.text).toContain('hello');
  });
});

describe('the official clients', () => {
  it('of OpenAI see a rate limit, and an error with the status of a budget', async () => {
    const rated = await keyWith(world, { rates: [{ unit: 'rpm', value: 0 }] });
    const spent = await keyWith(world, { usage: [{ type: 'cost', creditLimit: 0 }] });
    const ask = (apiKey: string) =>
      new OpenAI({ baseURL: `${world.app.url}/v1`, apiKey, maxRetries: 2 }).chat.completions
        .create({ model: `@${world.slug}/gpt-4o`, messages: [{ role: 'user', content: 'hi' }] })
        .catch((error: unknown) => error);
    const rate = await ask(rated.key);
    expect(rate).toBeInstanceOf(OpenAI.RateLimitError);
    expect(rate).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    const budget = await ask(spent.key);
    expect(budget).toBeInstanceOf(OpenAI.APIError);
    expect(budget).toMatchObject({ status: 412, code: 'usage_limit_reached' });
  });

  it('of Anthropic see the same in their own format', async () => {
    const rated = await keyWith(world, { rates: [{ unit: 'rpm', value: 0 }] });
    const spent = await keyWith(world, { usage: [{ type: 'cost', creditLimit: 0 }] });
    const ask = (apiKey: string) =>
      new Anthropic({ baseURL: world.app.url, apiKey, maxRetries: 2 }).messages
        .create({
          model: `@${world.slug}/gpt-4o`,
          max_tokens: 100,
          messages: [{ role: 'user', content: 'hi' }],
        })
        .catch((error: unknown) => error);
    const rate = await ask(rated.key);
    expect(rate).toBeInstanceOf(Anthropic.RateLimitError);
    expect(rate).toMatchObject({
      status: 429,
      error: { type: 'error', error: { type: 'rate_limit_error' }, limit: { level: 'api_key' } },
    });
    const budget = await ask(spent.key);
    expect(budget).toBeInstanceOf(Anthropic.APIError);
    expect(budget).toMatchObject({ status: 412, error: { limit: { type: 'usage_limit' } } });
  });
});
