import { type Listed, type ListedPrice, type ListedPrices, priceListOf } from './convert.ts';
import type { PriceList } from './price-list.ts';

/** Factors on the prices of a whole call whose input, what was read from a cache included, has more tokens than `above`. */
type LongInput = { above: number; input: number; output: number };

const claude: LongInput = { above: 200_000, input: 2, output: 1.5 };

/**
 * Models whose long input costs more though the catalogue has one price, by its names of provider and model. Source: the
 * price page of Anthropic, which holds for its API, Bedrock and Vertex AI. Prices that the catalogue itself has go before.
 */
const longInput: Readonly<Record<string, Readonly<Record<string, LongInput>>>> = {
  anthropic: { 'claude-sonnet-4-0': claude },
  aws: {
    'global.anthropic.claude-sonnet-4-20250514-v1:0': claude,
    'regional.anthropic.claude-sonnet-4-20250514-v1:0': claude,
  },
  google: { 'claude-4-sonnet': claude },
};

/** What the catalogue lists, with the prices of long input that it lacks. */
export function withLongInput(listed: Listed): Listed {
  const added = longInput[listed.provider]?.[listed.model];
  if (!added) return listed;
  const prices: Record<string, ListedPrice | undefined> = {};
  for (const [key, price] of Object.entries(listed.prices)) prices[key] = tiered(key, price, added);
  return { ...listed, prices };
}

function tiered(key: string, price: ListedPrices[string], { above, input, output }: LongInput) {
  if (typeof price !== 'number' || !key.endsWith('_mtok')) return price;
  const factor = key.startsWith('output_') ? output : input;
  return { base: price, tiers: [{ start: above, price: price * factor }] };
}

/** The prices of a call with more input tokens than `above`. */
export type PriceTier = { above: number; list: PriceList };

/** What a model costs with long input, the shorter first; none for most models. */
export function priceTiersOf(listed: Listed): PriceTier[] {
  const starts = Object.values(listed.prices).flatMap((price) =>
    typeof price === 'object' ? price.tiers.map(({ start }) => start) : [],
  );
  return [...new Set(starts)]
    .sort((one, other) => one - other)
    .flatMap((above) => {
      const list = priceListOf(listed, above + 1);
      return list ? [{ above, list }] : [];
    });
}
