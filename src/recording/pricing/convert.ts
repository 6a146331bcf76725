import type { Price, PriceList } from './price-list.ts';
import { factors, supplement } from './supplement.ts';
import type { TokenUnit } from './units.ts';

/** A price of the catalogue: one number, or one up to a size of the input and others above it. */
export type ListedPrice = number | { base: number; tiers: readonly { start: number; price: number }[] };
export type ListedPrices = Readonly<Record<string, ListedPrice | undefined>>;

/** The catalogue's keys for tokens, in dollars per million. */
const tokenKeys: Readonly<Record<string, TokenUnit>> = {
  input_mtok: 'request_token',
  output_mtok: 'response_token',
  cache_read_mtok: 'cache_read_input_token',
  cache_write_mtok: 'cache_write_input_token',
  cache_write_1h_mtok: 'cache_write_1h_input_token',
  input_audio_mtok: 'request_audio_token',
  output_audio_mtok: 'response_audio_token',
  cache_audio_read_mtok: 'cache_read_audio_input_token',
  input_image_mtok: 'request_image_token',
  output_image_mtok: 'response_image_token',
  cache_image_read_mtok: 'cache_read_image_input_token',
  input_video_mtok: 'request_video_token',
  output_video_mtok: 'response_video_token',
  output_reasoning_mtok: 'reasoning_token',
};

/** Its other keys: the unit, and how many of it the price is for. */
const otherKeys: Readonly<Record<string, { unit: string; per: number }>> = {
  web_searches_kcount: { unit: 'web_search', per: 1000 },
  storage_searches_kcount: { unit: 'file_search', per: 1000 },
  audio_hours: { unit: 'audio_seconds', per: 3600 },
  input_document_kpages: { unit: 'pages', per: 1000 },
  output_citation_mtok: { unit: 'citation_token', per: 1e6 },
};

/** What a model is called in the catalogue, and its prices there. `contextWindow`: tokens, where they are known. */
export type Listed = { provider: string; model: string; prices: ListedPrices; contextWindow?: number };

/** Lists of a model at the usual terms, by how many of its sizes of input are reached. */
type UsualLists = { starts: readonly number[]; lists: (PriceList | null)[] };

/** Most calls ask for the same few models: each has the same list until its prices are read anew. */
const usualLists = new WeakMap<Listed, UsualLists>();

/**
 * The price list of a model, from what the catalogue says and the supplement adds. `inputTokens` chooses between prices
 * for long and for short input. Null when it names no price, and for terms whose prices are not known.
 */
export function priceListOf(
  listed: Listed,
  inputTokens: number,
  terms: readonly string[] = [],
): PriceList | null {
  if (terms.length > 0) return makeList(listed, inputTokens, terms);
  let usual = usualLists.get(listed);
  if (!usual) {
    usual = { starts: startsOf(listed), lists: [] };
    usualLists.set(listed, usual);
  }
  let reached = 0;
  for (const start of usual.starts) if (inputTokens > start) reached++;
  let list = usual.lists[reached];
  if (list === undefined) {
    list = makeList(listed, inputTokens, terms);
    usual.lists[reached] = list;
  }
  return list;
}

/** The sizes of input beyond which a price of the model is another one. */
const startsOf = ({ prices }: Listed): number[] => [
  ...new Set(
    Object.values(prices).flatMap((price) =>
      typeof price === 'object' ? price.tiers.map(({ start }) => start) : [],
    ),
  ),
];

function makeList(
  { provider, model, prices: listedPrices }: Listed,
  inputTokens: number,
  terms: readonly string[],
): PriceList | null {
  const factor = factorOf(provider, terms);
  if (factor === null) return null;
  const tokens: Partial<Record<TokenUnit, Price>> = {};
  const units: Record<string, Price> = {};
  for (const [key, listed] of Object.entries(listedPrices)) {
    const dollars = tierOf(listed, inputTokens);
    if (dollars === null) continue;
    const unit = tokenKeys[key];
    const other = otherKeys[key];
    if (unit) tokens[unit] = priceOf(dollars * factor, 1e6);
    else if (other) units[other.unit] = priceOf(dollars, other.per);
  }
  const { additional_units: addedUnits, ...added } = supplement[provider]?.[model] ?? {};
  const prices = {
    ...hourOfCache(model, tokens),
    ...added,
    ...(Object.keys({ ...units, ...addedUnits }).length > 0 && {
      additional_units: { ...units, ...addedUnits },
    }),
  };
  if (Object.keys(prices).length > 0) return { pay_as_you_go: prices, currency: 'USD' };
  return isFree(model) ? free : null;
}

/** Digits beyond what a price has come from dividing. */
const priceOf = (dollars: number, per: number): Price => ({
  price: Number(((dollars * 100) / per).toPrecision(12)),
});

/** The price that the whole call has at this size of its input; null for what is no price. */
function tierOf(listed: ListedPrice | undefined, inputTokens: number): number | null {
  if (typeof listed === 'number') return validated(listed);
  if (!listed) return null;
  const reached = listed.tiers.filter(({ start }) => inputTokens > start);
  const highest = reached.reduce<{ start: number; price: number } | null>(
    (best, tier) => (best === null || tier.start > best.start ? tier : best),
    null,
  );
  return validated(highest?.price ?? listed.base);
}

const validated = (dollars: number): number | null =>
  Number.isFinite(dollars) && dollars >= 0 ? dollars : null;

/** The terms of a provider, by the catalogue's name for it, whose prices are known. */
export const knownTerms = (provider: string): string[] => Object.keys(factors[provider] ?? {});

/** Every term changes the price by a factor of its own. */
function factorOf(provider: string, terms: readonly string[]): number | null {
  let factor = 1;
  for (const term of terms) {
    const known = factors[provider] ?? {};
    // A term is a provider's text.
    if (!Object.hasOwn(known, term)) return null;
    factor *= known[term] ?? 1;
  }
  return factor;
}

/** Claude's cache for an hour costs twice the input wherever it is sold; the catalogue does not say it everywhere. */
function hourOfCache(
  model: string,
  tokens: Partial<Record<TokenUnit, Price>>,
): Partial<Record<TokenUnit, Price>> {
  const { request_token: input, cache_write_input_token: write, cache_write_1h_input_token: hour } = tokens;
  if (!input || !write || hour || !model.includes('claude')) return tokens;
  return { ...tokens, cache_write_1h_input_token: { price: Number((2 * input.price).toPrecision(12)) } };
}

/** Models without any price are free where their name or their provider says so. */
const isFree = (model: string): boolean => model.endsWith(':free') || model === 'moderation';

const free: PriceList = {
  pay_as_you_go: { request_token: { price: 0 }, response_token: { price: 0 } },
  currency: 'USD',
};
