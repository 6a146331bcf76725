import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  boundOf,
  capForCost,
  capForTokens,
  mostCost,
  mostTokens,
  type Tariff,
  tariffOf,
} from '../../../src/limits/bound/index.ts';
import { costIn, loadCatalogue } from '../../../src/recording/pricing/index.ts';

const at = new Date('2026-11-01T00:00:00Z');
const bound = (value: Record<string, unknown>, endpoint = 'chatComplete') =>
  boundOf({ endpoint, value, bytes: Buffer.byteLength(JSON.stringify(value)) });
const chat = (text: string, more: object = {}) => ({
  model: 'gpt-4o',
  messages: [{ role: 'user', content: text }],
  ...more,
});
const tariff = async (provider: string, model: string) =>
  tariffOf({ provider, model, own: null }, await loadCatalogue(), at) as Tariff;

describe('what a call can read', () => {
  it('is no less than the bytes of its text, in any language', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(bound(chat(text)).input.most).toBeGreaterThanOrEqual(Buffer.byteLength(text) + 16);
      }),
    );
  });

  it.each<[string, object]>([
    ['an address of an image', { messages: [{ content: [{ image_url: { url: 'https://a.example/b' } }] }] }],
    ['a file', { messages: [{ content: [{ type: 'file', file: { file_id: 'file-1' } }] }] }],
    ['a stored conversation', { previous_response_id: 'resp_1' }],
    ['a search of the provider', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['audio', { messages: [{ content: [{ input_audio: { data: 'AAAA', format: 'wav' } }] }] }],
  ])('is a guess with %s', (_name, more) => {
    expect(bound(chat('hi', more)).class).toBe('estimated');
  });

  it.each<[string, object]>([
    ['functions', { tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] }],
    ['tools of the client', { tools: [{ type: 'computer_20250124', name: 'computer' }] }],
    ['an image inside', { messages: [{ content: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] }] }],
    ['a text that looks like an address', { messages: [{ content: 'https://a.example/b' }] }],
  ])('is certain with %s', (_name, more) => {
    expect(bound(chat('hi', more)).class).toBe('bounded');
  });

  it('does not take a text for an image because it says so', () => {
    const data = 'x'.repeat(10_000);
    const source = { type: 'text', media_type: 'text/plain', data };
    const document = { messages: [{ content: [{ type: 'document', source }] }] };
    expect(bound(chat('', document)).input.most).toBeGreaterThan(10_000);
  });
});

describe('what a call can write', () => {
  it.each<[string, object, number | null]>([
    ['no cap', {}, null],
    ['either cap, the larger', { max_tokens: 5, max_completion_tokens: 7 }, 7],
    ['a cap of responses', { max_output_tokens: 9 }, 9],
    ['what is no number', { max_tokens: 'many' }, null],
  ])('is bound by %s', (_name, more, cap) => {
    expect(bound(chat('hi', more)).output.cap).toBe(cap);
  });

  it('is what all choices can, and what a prediction has', () => {
    const asked = bound(chat('hi', { n: 3, best_of: 2, prediction: { content: 'abc' } }));
    expect(mostTokens(asked, 10)).toBe(asked.input.most + 30 + asked.output.beside);
    expect(asked.output.beside).toBeGreaterThanOrEqual(3);
  });
});

describe('what a call can cost', () => {
  it.each([
    ['openai', 'gpt-4o'],
    ['anthropic', 'claude-sonnet-4-5'],
    ['anthropic', 'claude-sonnet-4-0'],
    ['google', 'gemini-2.5-pro'],
    ['bedrock', 'anthropic.claude-sonnet-4-20250514-v1:0'],
  ])('is no less than any bill of %s %s', async (provider, model) => {
    const catalogue = await loadCatalogue();
    const prices = await tariff(provider, model);
    expect(prices).not.toBeNull();
    const sizes = fc.integer({ min: 0, max: 400_000 });
    const unit = fc.constantFrom('request_token', 'cache_read_input_token', 'cache_write_input_token');
    const written = fc.constantFrom('response_token', 'reasoning_token');
    fc.assert(
      fc.property(sizes, sizes, unit, written, (input, output, inputUnit, outputUnit) => {
        const cost = costIn(catalogue, {
          provider,
          model,
          answeredModel: () => null,
          at,
          images: null,
          own: null,
          usage: {
            counts: {
              promptTokens: input,
              completionTokens: output,
              totalTokens: input + output,
              usageSource: 'provider',
              tokenClasses: { [inputUnit]: input, [outputUnit]: output },
            },
            terms: [],
          },
        });
        const asked = bound(chat('hi'));
        const most = mostCost({ ...asked, input: { ...asked.input, most: input } }, prices, output);
        expect(most).toBeGreaterThanOrEqual(cost?.nanodollars ?? Number.POSITIVE_INFINITY);
      }),
    );
  });

  it('is not known for a model that has no price', async () => {
    expect(await tariff('openai', 'no-such-model')).toBeNull();
  });
});

describe('the cap that fits', () => {
  it('comes to no more than is left, and one token more would', async () => {
    const prices = await tariff('openai', 'gpt-4o');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000_000 }), fc.integer({ min: 1, max: 8 }), (left, n) => {
        const asked = bound(chat('hello', { n }));
        const cap = capForCost(asked, prices, left);
        if (cap < 0) {
          expect(mostCost(asked, prices, 0)).toBeGreaterThan(left - 2);
          return;
        }
        expect(mostCost(asked, prices, cap)).toBeLessThanOrEqual(left);
        expect(mostCost(asked, prices, cap + 1)).toBeGreaterThan(left - 2);
      }),
    );
    const asked = bound(chat('hello', { n: 3 }));
    const cap = capForTokens(asked, 1000);
    expect(mostTokens(asked, cap)).toBeLessThanOrEqual(1000);
    expect(mostTokens(asked, cap + 1)).toBeGreaterThan(1000);
  });
});
