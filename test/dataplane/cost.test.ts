import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import type { LogRecord } from '../../src/recording/log/record.ts';
import { recorded } from '../recording/usage-reports.ts';
import { chatAnswer, eventStream, json, type Script } from '../support/provider.ts';
import { type CallOptions, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** Billionths of a dollar for tokens at dollars a million. */
const perMillion = (...parts: [tokens: number, dollars: number][]) =>
  Math.round(parts.reduce((sum, [tokens, dollars]) => sum + tokens * dollars * 1000, 0));

/** The log of a call that the provider answers by the script. */
async function logOf(
  script: Script,
  model: string,
  options: CallOptions = {},
  slug = world.slug,
): Promise<LogRecord> {
  const body = { model: `@${slug}/${model}`, messages: [] };
  return (await world.logged(script, { body, ...options })).record;
}

const counted = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
const answer = json(200, chatAnswer('hi', counted));
const gpt4o = perMillion([1000, 2.5], [100, 10]);
const through = (slug = world.slug) => ({ 'x-gateway-provider': `@${slug}` });

/** A provider whose integration has these factors and these models. */
async function makeProvider(integration: object, models: object[] = []): Promise<string> {
  const slug = await world.makeProvider(integration);
  await world.app.rest('PUT', `/v1/integrations/${slug}/models`, { body: { models } });
  return slug;
}

const own = (price: number) => ({ pay_as_you_go: { request_token: { price }, response_token: { price } } });

describe('the log of a call says what it cost', () => {
  it('as a plain answer', async () => {
    expect(await logOf(answer, 'gpt-4o')).toMatchObject({
      usageSource: 'provider',
      tokenClasses: { request_token: 1000, response_token: 100 },
      costNanodollars: gpt4o,
      savingsNanodollars: null,
      cacheStatus: 'DISABLED',
    });
  });

  it('as a stream', async () => {
    const frames = recorded.find(({ name }) => name === 'a stream of a chat completion')?.frames ?? [];
    const record = await logOf(eventStream(frames), 'gpt-5');
    expect(record.costNanodollars).toBe(perMillion([86, 1.25], [1920, 0.125], [300, 10]));
  });

  const claude = perMillion([50, 3], [148, 3.75], [100, 6], [100_000, 0.3], [503, 15]);
  const messageFrames = recorded.find(({ name }) => name === 'a stream of a message')?.frames ?? [];
  const model = 'claude-sonnet-4-20250514';

  it('as a stream of messages, which says its input first and its output last', async () => {
    const slug = await makeProvider({ ai_provider_id: 'anthropic' });
    const record = await logOf(eventStream(messageFrames), 'x', {
      path: '/v1/messages',
      headers: through(slug),
      body: { model, messages: [], stream: true },
    });
    expect(record).toMatchObject({ promptTokens: 100_298, completionTokens: 503, totalTokens: 100_801 });
    expect(record.costNanodollars).toBe(claude);
  });

  it.each([false, true])("in a provider's own format as in the gateway's (stream: %s)", async (stream) => {
    const slug = await makeProvider({ ai_provider_id: 'anthropic' });
    const whole = recorded.find(({ name }) => name === 'a message')?.body as object;
    const message = { id: 'msg', role: 'assistant', model, stop_reason: 'end_turn', ...whole };
    const script = stream ? eventStream(messageFrames) : json(200, message);
    const body = { model, messages: [{ role: 'user', content: 'hi' }], stream };
    const record = await logOf(script, 'x', { headers: through(slug), body });
    expect(record).toMatchObject({ endpoint: 'chatComplete', isSuccess: true, promptTokens: 100_298 });
    expect(record.costNanodollars).toBe(claude);
  });

  it.each([
    ['/v1/messages', false],
    ['/v1/messages', true],
    ['/v1/responses', false],
    ['/v1/responses', true],
  ])('when a chat answers what %s asked for (stream: %s)', async (path, stream) => {
    const name = stream ? 'a stream of a chat completion' : 'a chat completion';
    const { body: whole, frames } = recorded.find((each) => each.name === name) ?? {};
    const message = { message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop', index: 0 };
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    const script = stream
      ? eventStream([`data: ${JSON.stringify(end)}\n\n`, ...(frames ?? [])])
      : json(200, { ...(whole as object), object: 'chat.completion', choices: [message] });
    const slug = await makeProvider({ ai_provider_id: 'openrouter' });
    const record = await logOf(script, 'x', {
      path,
      headers: through(slug),
      body: {
        model: 'openai/gpt-5',
        stream,
        ...(path === '/v1/messages'
          ? { max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }
          : { input: 'hi' }),
      },
    });
    expect(record.costNanodollars).toBe(perMillion([86, 1.25], [1920, 0.125], [300, 10]));
  });

  it('of an image that Gemini made in a chat', async () => {
    const slug = await makeProvider({ ai_provider_id: 'google' });
    const made = recorded.find(({ name }) => name === 'an image of Gemini')?.body as object;
    const candidates = [{ content: { parts: [{ text: 'here' }] }, finishReason: 'STOP' }];
    const record = await logOf(json(200, { candidates, ...made }), 'x', {
      headers: through(slug),
      body: { model: 'gemini-2.5-flash-image', messages: [{ role: 'user', content: 'draw' }] },
    });
    expect(record.costNanodollars).toBe(perMillion([10, 0.3], [10, 2.5], [1290, 30]));
  });

  it('by a model that stands in the path', async () => {
    const path = '/v1/proxy/deployments/gpt-4o/chat/completions';
    const record = await logOf(answer, 'x', { path, headers: through(), body: { messages: [] } });
    expect(record).toMatchObject({ aiModel: 'gpt-4o', costNanodollars: gpt4o });
  });

  it('of images by the piece', async () => {
    const body = { model: 'dall-e-3', prompt: 'x', n: 3, quality: 'hd', size: '1024x1792' };
    const options = { path: '/v1/images/generations', headers: through(), body };
    const record = await logOf(json(200, { data: [{}, {}, {}] }), 'x', options);
    expect(record.costNanodollars).toBe(0.36 * 1e9);
  });

  test.each<[string, Script, string, CallOptions, number | null]>([
    ['the price is not known', answer, 'gpt-test', {}, null],
    ['the provider does not count', json(200, { choices: [] }), 'gpt-4o', {}, null],
    ['the provider failed', json(500, { error: {} }), 'gpt-4o', {}, null],
    ['the provider refused', json(400, { error: {} }), 'gpt-4o', {}, 0],
    [
      'an earlier answer is read again',
      answer,
      'gpt-4o',
      { method: 'GET', path: '/v1/proxy/responses/r', body: null },
      0,
    ],
  ])('or that it is null or free, when %s', async (_when, script, model, options, cost) => {
    const record = await logOf(script, model, { ...options, headers: through() });
    expect(record.costNanodollars).toBe(cost);
  });

  it('is free when no provider was called', async () => {
    const refused = await logOf(answer, 'gpt-4o', { body: { model: '@nobody/gpt-4o', messages: [] } });
    expect(refused).toMatchObject({ aiProvider: null, costNanodollars: 0 });
  });
});

describe('an answer from the cache', () => {
  const config = { cache: { mode: 'simple' } };

  it.each([false, true])('costs nothing, and its log says what it saved (stream: %s)', async (stream) => {
    const content = `saved ${stream}`;
    const body = { model: `@${world.slug}/gpt-4o`, messages: [{ role: 'user', content }], stream };
    const first = await logOf(answer, 'gpt-4o', { config, body });
    expect(first).toMatchObject({ cacheStatus: 'MISS', costNanodollars: gpt4o, savingsNanodollars: null });
    const second = await logOf(answer, 'gpt-4o', { config, body });
    expect(second).toMatchObject({ cacheStatus: 'HIT', costNanodollars: 0, savingsNanodollars: gpt4o });
  });
});

describe('an integration changes what its calls cost', () => {
  let slug: string;
  beforeAll(async () => {
    slug = await makeProvider({ pricing_adjustments: { multiplier: { default: 2, response_token: 0.5 } } }, [
      { slug: 'gpt-4.1', enabled: true, pricing_config: { type: 'static', ...own(0.001) } },
      { slug: 'tuned', enabled: true, is_custom: true, base_model_slug: 'gpt-4o' },
      { slug: 'unknown', enabled: true, is_custom: true },
    ]);
  });
  const costThrough = async (model: string) => (await logOf(answer, model, {}, slug)).costNanodollars;

  it('by factors on the usual prices', async () => {
    expect(await costThrough('gpt-4o')).toBe(perMillion([1000, 5], [100, 5]));
  });

  it('by a list of its own, to which the factors belong as well', async () => {
    expect(await costThrough('gpt-4.1')).toBe((1000 * 0.001 * 2 + 100 * 0.001 * 0.5) * 1e7);
  });

  it('by the model that a custom one is based on', async () => {
    expect(await costThrough('tuned')).toBe(perMillion([1000, 5], [100, 5]));
    expect(await costThrough('unknown')).toBeNull();
  });

  it('by the model that its settings name for deployments', async () => {
    const configurations = { custom_host: world.provider.url, azure_model_name: 'gpt-4o' };
    const azure = await makeProvider({ ai_provider_id: 'azure-openai', configurations });
    expect((await logOf(answer, 'a-deployment', {}, azure)).costNanodollars).toBe(gpt4o);
  });

  it('for later calls, once it is changed', async () => {
    const path = `/v1/integrations/${slug}`;
    await world.app.rest('PUT', path, { body: { pricing_adjustments: null } });
    expect(await costThrough('gpt-4o')).toBe(gpt4o);
    await world.app.rest('PUT', `${path}/models`, {
      body: { models: [{ slug: 'gpt-4o', enabled: true, pricing_config: own(1) }] },
    });
    expect(await costThrough('gpt-4o')).toBe(1100 * 1e7);
  });
});
