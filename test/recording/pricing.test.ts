import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { allProviders } from '../../src/providers/index.ts';
import { costOf } from '../../src/recording/pricing/cost.ts';
import {
  billFor,
  type Calculation,
  loadCatalogue,
  type Multipliers,
  type PricedCall,
  type PriceList,
  priceListOf,
  tokenUnits,
  usualCalculation,
} from '../../src/recording/pricing/index.ts';
import { findUsage, noUsage } from '../../src/recording/usage/index.ts';
import { recorded } from './usage-reports.ts';

const DOLLAR = 1_000_000_000;
/** Sums of `[tokens, dollars for a million of them]`, as price pages state them; in billionths of a dollar. */
const perMillion = (...parts: [tokens: number, dollars: number][]) =>
  Math.round(parts.reduce((sum, [tokens, dollars]) => sum + tokens * dollars * 1000, 0));
const dollars = (amount: number) => Math.round(amount * DOLLAR);

type Asked = Partial<PricedCall> & { provider: string; model: string | null };

const call = (asked: Asked, answer: unknown = null): PricedCall => ({
  wasCalled: true,
  answeredModel: () => null,
  at: new Date('2026-11-22T12:00:00Z'),
  method: 'POST',
  status: 200,
  cacheStatus: 'MISS',
  images: null,
  own: null,
  usage: answer === null ? noUsage : findUsage({ text: JSON.stringify(answer), isStream: false }),
  ...asked,
});
const costFor = async (asked: Asked, answer?: unknown) =>
  (await billFor(call(asked, answer))).costNanodollars;
const answerOf = (name: string) => recorded.find((each) => each.name === name)?.body;
const chat = (prompt_tokens: number, completion_tokens: number, more: object = {}) => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  ...more,
});
const gemini = (promptTokenCount: number, candidatesTokenCount: number) => ({
  usageMetadata: { promptTokenCount, candidatesTokenCount },
});

const message = (usage: object) => ({ type: 'message', usage });

const sonnet4 = { provider: 'anthropic', model: 'claude-sonnet-4-20250514' };

describe('a call costs what the price page says', () => {
  test.each<[string, Asked, unknown, number]>([
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching: 3, write 3.75 and 6, read 0.30, out 15
    [
      'cache writes for five minutes and an hour, and a read of the cache',
      sonnet4,
      answerOf('a message'),
      perMillion([50, 3], [148, 3.75], [100, 6], [100_000, 0.3], [503, 15]),
    ],
    [
      'thoughts as output, and searches at 10 dollars a thousand',
      sonnet4,
      answerOf('a message with searches and thoughts'),
      perMillion([5, 3], [30, 15]) + dollars(0.02),
    ],
    // https://openai.com/api/pricing: 1.25, cached 0.125, out 10 with reasoning and predictions in it
    [
      'cached, reasoning and predicted tokens',
      { provider: 'openai', model: 'gpt-5' },
      answerOf('a chat completion'),
      perMillion([86, 1.25], [1920, 0.125], [300, 10]),
    ],
    [
      'a response with one search in the web and one in files',
      { provider: 'openai', model: 'gpt-5-2025-08-07' },
      answerOf('a response that searched the web'),
      perMillion([200, 1.25], [128, 0.125], [52, 10]) + dollars(0.01 + 0.0025),
    ],
    [
      'audio tokens',
      { provider: 'openai', model: 'gpt-4o-audio-preview' },
      {
        usage: {
          ...chat(100, 80).usage,
          prompt_tokens_details: { audio_tokens: 60 },
          completion_tokens_details: { audio_tokens: 70 },
        },
      },
      perMillion([40, 2.5], [60, 40], [10, 10], [70, 80]),
    ],
    // https://aws.amazon.com/bedrock/pricing: the global endpoint has Anthropic's own prices
    [
      'cache writes at Bedrock',
      { provider: 'bedrock', model: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0' },
      answerOf("Bedrock's converse"),
      perMillion([1000, 0.3], [60, 6], [40, 3.75], [12, 3], [34, 15]),
    ],
    [
      'a session of speech',
      { provider: 'openai', model: 'gpt-realtime', method: 'GET', status: 101 },
      answerOf('a realtime session'),
      perMillion([4, 0.4], [60, 0.4], [9, 32], [59, 4], [91, 64], [30, 16]),
    ],
    // 1056 tokens are the 4.2 cents of a square picture of medium quality
    [
      'an image by tokens',
      { provider: 'openai', model: 'gpt-image-1' },
      answerOf('images'),
      perMillion([12, 5], [100, 10], [1056, 40]),
    ],
    [
      'images by the piece',
      { provider: 'openai', model: 'dall-e-3', images: { count: 2, quality: 'hd', size: '1792x1024' } },
      { data: [] },
      dollars(0.24),
    ],
    [
      'an image of the usual quality and size',
      {
        provider: 'azure-openai',
        model: 'dall-e-3',
        images: { count: 1, quality: 'default', size: 'default' },
      },
      { data: [] },
      dollars(0.04),
    ],
    [
      'embeddings',
      { provider: 'openai', model: 'text-embedding-3-small' },
      answerOf('embeddings'),
      perMillion([8, 0.02]),
    ],
    [
      'a recording by its length',
      { provider: 'openai', model: 'whisper-1' },
      answerOf('a transcription by seconds'),
      dollars((0.006 / 60) * 93.5),
    ],
    // https://ai.google.dev/gemini-api/docs/pricing: 1.25 and 10 up to 200,000 tokens of input, else 2.50 and 15
    [
      'long input on the border',
      { provider: 'google', model: 'gemini-2.5-pro' },
      gemini(200_000, 1000),
      perMillion([200_000, 1.25], [1000, 10]),
    ],
    [
      'long input beyond it',
      { provider: 'vertex-ai', model: 'google/gemini-2.5-pro' },
      gemini(200_001, 1000),
      perMillion([200_001, 2.5], [1000, 15]),
    ],
    // https://platform.claude.com/docs/en/about-claude/pricing: 6, write 7.50 and 12, read 0.60, out 22.50 above 200,000
    [
      'long input of Claude Sonnet 4',
      sonnet4,
      message({ input_tokens: 250_000, output_tokens: 1000 }),
      dollars(1.5225),
    ],
    [
      'input of Claude Sonnet 4 on the border',
      sonnet4,
      message({ input_tokens: 200_000, output_tokens: 1000 }),
      perMillion([200_000, 3], [1000, 15]),
    ],
    [
      'input of Claude Sonnet 4 that is long by what the cache held',
      sonnet4,
      message({
        input_tokens: 1,
        cache_read_input_tokens: 150_000,
        cache_creation_input_tokens: 50_000,
        cache_creation: { ephemeral_5m_input_tokens: 20_000, ephemeral_1h_input_tokens: 30_000 },
        output_tokens: 1000,
      }),
      perMillion([1, 6], [150_000, 0.6], [20_000, 7.5], [30_000, 12], [1000, 22.5]),
    ],
    ...(
      [
        ['bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0'],
        ['bedrock', 'global.anthropic.claude-sonnet-4-20250514-v1:0'],
        ['vertex-ai', 'claude-sonnet-4@20250514'],
      ] as const
    ).map(([provider, model]): [string, Asked, unknown, number] => [
      `long input of Claude Sonnet 4 at ${provider} as ${model}`,
      { provider, model },
      message({ input_tokens: 250_000, output_tokens: 1000 }),
      dollars(1.5225),
    ]),
    [
      'input of audio, some of it from the cache',
      { provider: 'google', model: 'gemini-2.5-flash' },
      answerOf("Gemini's own format"),
      perMillion([150, 0.1], [250, 0.03], [50, 1], [580, 0.3], [120, 2.5]),
    ],
    [
      'an image of Gemini',
      { provider: 'google', model: 'gemini-2.5-flash-image' },
      answerOf('an image of Gemini'),
      perMillion([10, 0.3], [10, 2.5], [1290, 30]),
    ],
    [
      'rankings',
      { provider: 'cohere', model: 'rerank-v3.5' },
      answerOf('a ranking'),
      dollars((2 / 1000) * 3),
    ],
    [
      'a request with little of the web read for it',
      { provider: 'perplexity-ai', model: 'sonar' },
      { usage: { ...chat(10, 20).usage, search_context_size: 'low' } },
      perMillion([10, 1], [20, 1]) + dollars(0.005),
    ],
    [
      'half by flexible service',
      { provider: 'openai', model: 'gpt-5' },
      chat(1000, 10, { service_tier: 'flex' }),
      perMillion([1000, 0.625], [10, 5]),
    ],
    [
      'prices of the day',
      { provider: 'openai', model: 'o3', at: new Date('2025-06-01T00:00:00Z') },
      chat(1000, 10),
      perMillion([1000, 10], [10, 40]),
    ],
    [
      'nothing, where the model is free',
      { provider: 'openai', model: 'omni-moderation-latest' },
      { results: [] },
      0,
    ],
    ['nothing, where nothing was used', { provider: 'openai', model: 'gpt-5' }, chat(0, 0), 0],
  ])('%s', async (_name, asked, answer, cost) => {
    expect(await costFor(asked, answer)).toBe(cost);
  });

  // On Bedrock a regional endpoint costs a tenth more than the global one.
  test.each([
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3.3],
    ['global.anthropic.claude-sonnet-4-5-20250929-v1:0', 3],
    [
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      3.3,
    ],
    ['arn%3Aaws%3Abedrock%3Aus-east-1%3A%3Afoundation-model%2Fmeta.llama3-1-8b-instruct-v1%3A0', 0.22],
    ['eu.amazon.nova-lite-v1:0', 0.06],
  ])('the name %s of Bedrock is resolved', async (model, price) => {
    const answer = { usage: { inputTokens: 1000, outputTokens: 0 } };
    expect(await costFor({ provider: 'bedrock', model }, answer)).toBe(perMillion([1000, price]));
  });

  test.each([
    ['openai', '@main/gpt-4o', 2.5],
    ['openai', 'gpt-4o-2024-08-06', 2.5],
    ['openai', 'gpt-4o-2024-05-13', 5],
    ['anthropic', 'claude-sonnet-4-latest', 3],
    ['vertex-ai', 'publishers/google/models/gemini-2.0-flash-001', 0.1],
  ])('the name %s %s is resolved', async (provider, model, price) => {
    expect(await costFor({ provider, model }, chat(1000, 0))).toBe(perMillion([1000, price]));
  });
});

describe('the price is looked up', () => {
  const own = (change: object) => ({ list: null, baseModel: null, multipliers: null, ...change });
  const list: PriceList = { pay_as_you_go: { request_token: { price: 0.001 } } };
  const cost = (asked: object) => costFor({ provider: 'openai', model: 'gpt-4o', ...asked }, chat(1000, 0));

  it("in the model's own list, the catalogue, its base model, and by the model that answered", async () => {
    const all = { answeredModel: () => 'gpt-5', own: own({ list, baseModel: 'o1' }) };
    expect(await cost(all)).toBe(perMillion([1000, 10]));
    expect(await cost({ ...all, own: own({ baseModel: 'o1' }) })).toBe(perMillion([1000, 2.5]));
    expect(await cost({ ...all, own: own({ baseModel: 'o1' }), model: 'mine' })).toBe(perMillion([1000, 15]));
    expect(await cost({ ...all, own: null, model: 'mine' })).toBe(perMillion([1000, 1.25]));
    expect(await cost({ model: 'mine' })).toBeNull();
  });

  it.each<[string, Asked, unknown]>([
    ['the model', { provider: 'openai', model: 'gpt-99' }, chat(1, 1)],
    ['the provider', { provider: 'ollama', model: 'gpt-4o' }, chat(1, 1)],
    ['a name of every object', { provider: 'constructor', model: '__proto__' }, chat(1, 1)],
    ['the usage', { provider: 'openai', model: 'gpt-4o' }, { choices: [] }],
    ['the usage of a call that failed', { provider: 'openai', model: 'gpt-4o', status: 500 }, {}],
    ['the usage of a call nobody waited for', { provider: 'openai', model: 'gpt-4o', status: 499 }, {}],
    [
      'terms of any name',
      { provider: 'openai', model: 'gpt-4o' },
      chat(1, 1, { service_tier: 'constructor' }),
    ],
    ['the terms', { provider: 'openai', model: 'gpt-4o' }, chat(1, 1, { service_tier: 'priority' })],
    [
      'the price of one of the units',
      { provider: 'openai', model: 'text-embedding-3-small' },
      { usage: { billed_units: { input_tokens: 1, search_units: 1 } } },
    ],
    ['the price of the output', { provider: 'openai', model: 'text-embedding-3-small' }, chat(1, 1)],
    [
      'the price of an image',
      { provider: 'openai', model: 'gpt-4o', images: { count: 1, quality: 'x', size: 'y' } },
      {},
    ],
  ])('and is null, not zero, where nobody knows %s', async (_what, asked, answer) => {
    expect(await costFor(asked, answer)).toBeNull();
  });
});

describe('a call costs nothing', () => {
  const known = { provider: 'openai', model: 'gpt-5' };
  it.each<[string, object, unknown]>([
    ['when no provider was called', { wasCalled: false }, null],
    ['when the provider refused it', { status: 400 }, { error: {} }],
    ['when the provider had too much to do', { status: 429 }, null],
    ['when it only reads', { method: 'GET' }, chat(1000, 1000)],
  ])('%s', async (_when, change, answer) => {
    expect(await billFor(call({ ...known, ...change }, answer))).toEqual({
      costNanodollars: 0,
      costLines: null,
      savingsNanodollars: null,
    });
  });

  it.each(['HIT', 'SEMANTIC HIT'] as const)(
    'on a %s, and what it would have cost is saved',
    async (cacheStatus) => {
      expect(await billFor(call({ ...known, cacheStatus }, chat(1000, 10)))).toEqual({
        costNanodollars: 0,
        costLines: null,
        savingsNanodollars: perMillion([1000, 1.25], [10, 10]),
      });
    },
  );

  it('unless usage came back with the error', async () => {
    expect(await costFor({ ...known, status: 400 }, chat(1000, 0))).toBe(perMillion([1000, 1.25]));
  });
});

describe('factors', () => {
  const list: PriceList = {
    pay_as_you_go: {
      request_token: { price: 0.001 },
      response_token: { price: 0.01 },
      additional_units: { search: { price: 1 } },
      image: { default: { default: { price: 4 } } },
    },
  };
  const images = { count: 1, quality: 'hd', size: 'x' };
  const cents = (
    classes: Record<string, number>,
    multipliers: Multipliers,
    pictures: typeof images | null = null,
  ) => (costOf({ classes, images: pictures }, list, multipliers)?.nanodollars ?? Number.NaN) / 1e7;

  it.each<[string, Record<string, number>, Multipliers, number]>([
    ['the unit', { request_token: 100 }, { request_token: 2, default: 3 }, 0.2],
    ['the default', { request_token: 100 }, { request_token: null, default: 3 }, 0.3],
    ['none', { request_token: 100 }, { response_token: 3 }, 0.1],
    ['zero', { request_token: 100, response_token: 1 }, { request_token: 0 }, 0.01],
    ['the unit whose price it has', { reasoning_token: 10 }, { response_token: 2, default: 3 }, 0.2],
    ['its own before that', { reasoning_token: 10 }, { reasoning_token: 5, response_token: 2 }, 0.5],
    ['a further unit', { search: 3 }, { additional_units: { search: 0.5 }, default: 9 }, 1.5],
    ['the default for further units', { search: 3 }, { additional_units: null, default: 2 }, 6],
  ])('are taken for %s', (_of, classes, multipliers, expected) => {
    expect(cents(classes, multipliers)).toBeCloseTo(expected, 9);
  });

  it('are taken for images', () => {
    expect(cents({}, { image: { default: 2 } }, images)).toBe(8);
    expect(cents({}, { default: 0.5 }, images)).toBe(2);
  });

  it('go with every call of an integration, also on a list of its own', async () => {
    const own = { list, baseModel: null, multipliers: { default: 2 } };
    expect(await costFor({ provider: 'openai', model: 'mine', own }, chat(100, 0))).toBe(0.2 * 1e7);
    const usual = { ...own, list: null };
    expect(await costFor({ provider: 'openai', model: 'gpt-5', own: usual }, chat(1000, 0))).toBe(
      perMillion([1000, 2.5]),
    );
  });
});

const price = fc.integer({ min: 0, max: 100_000 }).map((digits) => ({ price: digits / 1e7 }));
const lists = fc
  .record(Object.fromEntries(tokenUnits.map((unit) => [unit, price])))
  .map((units) => ({ pay_as_you_go: units }) as PriceList);
const classes = fc.dictionary(fc.constantFrom(...tokenUnits), fc.nat(1_000_000));

describe('a cost', () => {
  const cost = (used: Record<string, number>, list: PriceList, multipliers: Multipliers | null = null) =>
    costOf({ classes: used, images: null }, list, multipliers)?.nanodollars ?? Number.NaN;
  const times = (factor: number, used: Record<string, number>) =>
    Object.fromEntries(Object.entries(used).map(([unit, count]) => [unit, factor * count]));

  it('is a whole number of billionths, not below zero, and linear in what was used', () => {
    fc.assert(
      fc.property(lists, classes, fc.integer({ min: 1, max: 50 }), (list, used, factor) => {
        const once = cost(used, list);
        expect(Number.isSafeInteger(once) && once >= 0).toBe(true);
        expect(cost(times(factor, used), list)).toBe(factor * once);
      }),
    );
  });

  it('adds up from lines that are whole numbers of billionths', () => {
    fc.assert(
      fc.property(lists, classes, (list, used) => {
        const { nanodollars, lines } = costOf({ classes: used, images: null }, list, { default: 1.37 }) ?? {
          nanodollars: Number.NaN,
          lines: [],
        };
        const amounts = lines.map((line) => line.nanodollars);
        expect(amounts.every((amount) => Number.isSafeInteger(amount) && amount >= 0)).toBe(true);
        expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(nanodollars);
      }),
    );
  });

  it('is multiplied by the default factor', () => {
    fc.assert(
      fc.property(lists, classes, fc.integer({ min: 0, max: 20 }), (list, used, factor) => {
        expect(cost(used, list, { default: factor })).toBe(factor * cost(used, list));
      }),
    );
  });

  it('is the same by the usual expressions as unit by unit', () => {
    const units = [
      'request_token',
      'cache_read_input_token',
      'cache_write_input_token',
      'response_token',
    ] as const;
    fc.assert(
      fc.property(lists, fc.dictionary(fc.constantFrom(...units), fc.nat(1_000_000)), (list, used) => {
        expect(cost(used, { ...list, calculate: usualCalculation })).toBe(cost(used, list));
      }),
    );
  });

  it('follows the expressions of its list, and is null where they ask for what has no price', () => {
    const sum = (...operands: Calculation['operands']): Calculation => ({ operation: 'sum', operands });
    const product = (...values: string[]): Calculation => ({
      operation: 'multiply',
      operands: values.map((value) => ({ value })),
    });
    const list = (request: Calculation): PriceList => ({
      pay_as_you_go: { request_token: { price: 1 }, response_token: { price: 3 } },
      calculate: { request },
    });
    const used = { request_token: 10, cache_read_input_token: 5, reasoning_token: 2 };
    const tree = sum(product('input_tokens', 'rates.request_token'), { value: 'cache_read_tokens' });
    expect(cost(used, list(tree))).toBe((10 + 5 + 2 * 3) * 1e7);
    expect(cost(used, list(product('output_tokens', 'rates.search')))).toBeNaN();
    expect(cost(used, list(product('cache_write_tokens', 'rates.search')))).toBe(2 * 3 * 1e7);
  });
});

describe('the catalogue', () => {
  const kinds = allProviders.flatMap(({ id, priceName }) => (priceName ? [id] : []));
  test.each(['2024-01-01', '2026-11-22', '2030-01-01'])(
    'has only prices that are numbers of zero or more, on %s',
    async (day) => {
      const { list } = await loadCatalogue();
      for (const provider of kinds) {
        const models = list(provider, new Date(`${day}T02:00:00Z`)) ?? new Map();
        expect([provider, models.size > 0]).toEqual([provider, true]);
        for (const [name, listed] of models) {
          for (const tokens of [0, 1_000_000]) {
            const prices = JSON.stringify(priceListOf(listed, tokens) ?? {});
            const wrong = [...prices.matchAll(/"price":([^}]+)/g)].filter(([, each]) => !(Number(each) >= 0));
            expect([name, wrong]).toEqual([name, []]);
          }
        }
      }
      expect(list('ollama', new Date())).toBeNull();
    },
  );
});
