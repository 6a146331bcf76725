import type { PriceList } from './price-list.ts';

type Prices = PriceList['pay_as_you_go'];

const cents = (dollars: number, per: number) => ({ price: Number(((dollars * 100) / per).toPrecision(12)) });
const perMillion = (dollars: number) => cents(dollars, 1e6);
const each = (dollars: number) => cents(dollars, 1);

const audioPreview: Record<string, Prices> = {
  'gpt-4o-audio-preview': { request_audio_token: perMillion(40), response_audio_token: perMillion(80) },
  'gpt-4o-mini-audio-preview': { request_audio_token: perMillion(10), response_audio_token: perMillion(20) },
};

const dallE: Record<string, Prices> = {
  'dall-e-2': {
    image: {
      default: {
        '256x256': each(0.016),
        '512x512': each(0.018),
        '1024x1024': each(0.02),
        default: each(0.02),
      },
    },
  },
  'dall-e-3': {
    image: {
      standard: {
        '1024x1024': each(0.04),
        '1024x1792': each(0.08),
        '1792x1024': each(0.08),
        default: each(0.04),
      },
      hd: { '1024x1024': each(0.08), '1024x1792': each(0.12), '1792x1024': each(0.12), default: each(0.08) },
      default: {
        '1024x1024': each(0.04),
        '1024x1792': each(0.08),
        '1792x1024': each(0.08),
        default: each(0.04),
      },
    },
  },
};

/** A fee for each request by how much of the web is read for it. */
const searchContext = (low: number, medium: number, high: number): Prices => ({
  additional_units: {
    web_search_low_context: cents(low, 1000),
    web_search_medium_context: cents(medium, 1000),
    web_search_high_context: cents(high, 1000),
  },
});

const ranking: Prices = { additional_units: { search: cents(2, 1000) } };
const embedding: Prices = { request_token: perMillion(0.1) };

/**
 * Published prices that the catalogue lacks, by its name of the provider and by model; they go on top of what it has.
 * Sources: the price pages of OpenAI, Perplexity and Cohere.
 */
export const supplement: Readonly<Record<string, Readonly<Record<string, Prices>>>> = {
  openai: { ...audioPreview, ...dallE },
  azure: { ...audioPreview, ...dallE },
  perplexity: {
    sonar: searchContext(5, 8, 12),
    'sonar-pro': searchContext(6, 10, 14),
    'sonar-reasoning': searchContext(5, 8, 12),
    'sonar-reasoning-pro': searchContext(6, 10, 14),
  },
  cohere: {
    'rerank-v3.5': ranking,
    'rerank-english-v3.0': ranking,
    'rerank-multilingual-v3.0': ranking,
    'embed-english-v3.0': embedding,
    'embed-multilingual-v3.0': embedding,
    'embed-english-light-v3.0': embedding,
    'embed-multilingual-light-v3.0': embedding,
  },
};

/**
 * Factors on all prices of a call by the terms that its answer names, for the providers that publish them. Terms without
 * a factor here have prices that are not known.
 */
export const factors: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  anthropic: { batch: 0.5, us: 1.1 },
  aws: { batch: 0.5, flex: 0.5, priority: 1.75 },
  azure: { batch: 0.5 },
  google: { batch: 0.5, flex: 0.5 },
  groq: { flex: 1, batch: 0.5 },
  mistral: { batch: 0.5 },
  openai: { batch: 0.5, flex: 0.5 },
};
