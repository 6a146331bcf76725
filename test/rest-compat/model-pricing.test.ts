import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { bodyOf } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const get = (path: string, base = '/v1') => app.rest('GET', `${base}/model-configs${path}`, { key: null });

describe('GET /model-configs/pricing/{provider}/{model}', () => {
  it('answers the published prices in cents, to anybody', async () => {
    expect(bodyOf(await get('/pricing/openai/gpt-4o'))).toEqual({
      pay_as_you_go: {
        request_token: { price: 0.00025 },
        cache_read_input_token: { price: 0.000125 },
        response_token: { price: 0.001 },
        additional_units: { web_search: { price: 1 }, file_search: { price: 0.25 } },
      },
      long_input: [],
      calculate: { request: expect.objectContaining({ operation: 'sum' }), response: expect.anything() },
      currency: 'USD',
      finetune_config: null,
    });
  });

  test.each([
    ['images', '/openai/dall-e-3', { image: expect.objectContaining({ hd: expect.anything() }) }],
    ['a name with slashes', '/openrouter/anthropic%2Fclaude-sonnet-4', { request_token: { price: 0.0003 } }],
    [
      'a name of Bedrock',
      '/bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0',
      { request_token: { price: 0.0003 } },
    ],
    ['short input', '/google/gemini-2.5-pro', { request_token: { price: 0.000125 } }],
  ])('for %s', async (_what, path, prices) => {
    for (const base of ['/v1', '/v2', '']) {
      expect(bodyOf(await get(`/pricing${path}`, base)).pay_as_you_go).toMatchObject(prices);
    }
  });

  test.each([
    ['/google/gemini-2.5-pro', { request_token: 0.00025, response_token: 0.0015 }],
    ['/anthropic/claude-sonnet-4-5', { request_token: 0.0006, response_token: 0.00225 }],
    [
      '/anthropic/claude-sonnet-4-20250514',
      {
        request_token: 0.0006,
        response_token: 0.00225,
        cache_read_input_token: 0.00006,
        cache_write_input_token: 0.00075,
        cache_write_1h_input_token: 0.0012,
      },
    ],
  ])('shows what long input costs: %s', async (path, cents) => {
    const prices = Object.fromEntries(Object.entries(cents).map(([unit, price]) => [unit, { price }]));
    const tier = { above_input_tokens: 200_000, pay_as_you_go: expect.objectContaining(prices) };
    expect(bodyOf(await get(`/pricing${path}`)).long_input).toEqual([tier]);
  });

  test.each([
    '/pricing/openai/gpt-99',
    '/pricing/nobody/gpt-4o',
    '/general/openai/gpt-99',
    '/pricing/nobody',
  ])('answers 404 to %s', async (path) => {
    expect(await get(path)).toMatchObject({
      status: 404,
      body: { error: expect.stringMatching(/known|price|model/i) },
    });
  });
});

describe('GET /model-configs/pricing/{provider}', () => {
  it('answers the prices of every model, and what is the same for all', async () => {
    const table = bodyOf(await get('/pricing/anthropic'));
    expect(table.default.pricing_config).toMatchObject({ pay_as_you_go: {}, currency: 'USD' });
    expect(table['claude-sonnet-4-0'].pricing_config.pay_as_you_go).toMatchObject({
      request_token: { price: 0.0003 },
      cache_write_1h_input_token: { price: 0.0006 },
    });
    expect(table['claude-sonnet-4-0'].pricing_config.long_input).toEqual([
      {
        above_input_tokens: 200_000,
        pay_as_you_go: expect.objectContaining({ request_token: { price: 0.0006 } }),
      },
    ]);
    expect(table['claude-opus-4-1'].pricing_config).not.toHaveProperty('long_input');
  });
});

describe('GET /model-configs/general/{provider}/{model}', () => {
  test.each([
    ['gpt-4o', 'chat', 'temperature', ['system', 'developer', 'user', 'assistant', 'tool']],
    ['text-embedding-3-small', 'embedding', 'dimensions', []],
    ['dall-e-3', 'image', 'size', []],
    ['gpt-image-1', 'image', 'quality', []],
    ['whisper-1', 'audio', 'language', []],
    ['gpt-3.5-turbo-instruct', 'text', 'max_tokens', []],
  ])('says what can be set for %s', async (model, primary, key, roles) => {
    const body = bodyOf(await get(`/general/openai/${model}`));
    expect(body).toMatchObject({
      type: { primary, supported: [primary] },
      messages: { options: roles },
      isDefault: true,
    });
    expect(body.params.map((each: { key: string }) => each.key)).toContain(key);
  });

  it('says the bounds and the options of a setting', async () => {
    const { params } = bodyOf(await get('/general/openai/text-embedding-3-small'));
    expect(params).toEqual([
      { key: 'dimensions', defaultValue: null, minValue: 1, maxValue: null, type: 'integer', options: [] },
      {
        key: 'encoding_format',
        defaultValue: 'float',
        minValue: null,
        maxValue: null,
        type: 'string',
        options: [
          { value: 'float', name: 'float' },
          { value: 'base64', name: 'base64' },
        ],
      },
    ]);
  });

  it('says that a moderation has nothing to set', async () => {
    expect(bodyOf(await get('/general/openai/omni-moderation-latest'))).toMatchObject({
      params: [],
      type: { primary: 'moderation' },
    });
  });
});

it('in the graph, prices need no credential either', async () => {
  const query = '{ modelPricing(provider: "openai", model: "gpt-5") { payAsYouGo currency } }';
  const answer = await app.rest('POST', '/graphql', { key: null, body: { query } });
  expect(bodyOf(answer).data).toEqual({
    modelPricing: {
      payAsYouGo: expect.objectContaining({ request_token: { price: 0.000125 } }),
      currency: 'USD',
    },
  });
});
