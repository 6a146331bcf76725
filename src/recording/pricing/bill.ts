import type { CacheStatus } from '../log/record.ts';
import type { Usage } from '../usage/index.ts';
import { type Catalogue, isPriced, loadCatalogue } from './catalogue.ts';
import { priceListOf } from './convert.ts';
import { type BilledImages, type Cost, costOf } from './cost.ts';
import { encodeCostLines } from './cost-lines.ts';
import type { OwnPricing, PriceList } from './price-list.ts';

/** All that the price of a call depends on. */
export type PricedCall = {
  /** False when the gateway answered by itself. */
  wasCalled: boolean;
  /** Kind of provider. */
  provider: string | null;
  model: string | null;
  /** The model that the answer names, looked for only where the asked one has no price. */
  answeredModel(): string | null;
  at: Date;
  method: string;
  /** Of the answer, or the status that stands for its lack. */
  status: number;
  cacheStatus: CacheStatus;
  usage: Usage;
  images: BilledImages | null;
  own: OwnPricing;
};

/** Billionths of a US dollar; null where the price or the usage is not known. `costLines`: encoded, what the cost adds up from. */
export type Bill = {
  costNanodollars: number | null;
  costLines: string | null;
  savingsNanodollars: number | null;
};

const NOTHING: Bill = { costNanodollars: 0, costLines: null, savingsNanodollars: null };

/**
 * What a call costs. Nothing, where nothing was billed: no provider was called, the cache
 * answered, nothing was made (only POST and sessions make something), or the provider refused the request. Null where the
 * provider did not say what was used, so that nothing is ever billed by an estimate.
 */
export async function billFor(call: PricedCall): Promise<Bill> {
  if (call.cacheStatus === 'HIT' || call.cacheStatus === 'SEMANTIC HIT') {
    return { ...NOTHING, savingsNanodollars: (await priceOf(call))?.nanodollars ?? null };
  }
  if (isUnbilled(call)) return NOTHING;
  const cost = await priceOf(call);
  if (!cost) return { ...NOTHING, costNanodollars: null };
  const source = call.own?.list ? 'integration' : 'catalogue';
  return {
    costNanodollars: cost.nanodollars,
    costLines: encodeCostLines(source, cost.lines),
    savingsNanodollars: null,
  };
}

const isUnbilled = ({ wasCalled, method, status, usage }: PricedCall): boolean =>
  !wasCalled || !makesSomething(method, status) || (isRefusal(status) && usage.counts.tokenClasses === null);

/** A request with POST, or a session over WebSocket, which is opened with GET; other answers repeat older reports. */
export const makesSomething = (method: string, status: number): boolean =>
  method === 'POST' || status === 101;

/** 408 and 499 stand for an answer that nobody waited for; it may have been billed. */
export const isRefusal = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 499;

async function priceOf(call: PricedCall): Promise<Cost | null> {
  const isListed = call.own?.list || call.provider === null || !isPriced(call.provider);
  return costIn(isListed ? null : await loadCatalogue(), call);
}

/** What a call costs by what it used. `catalogue`: null where its prices are not needed. */
export function costIn(
  catalogue: Catalogue | null,
  call: Omit<PricedCall, 'wasCalled' | 'method' | 'status' | 'cacheStatus'>,
): Cost | null {
  const { usage, images, own } = call;
  const { tokenClasses } = usage.counts;
  const list = own?.list ?? (catalogue && listFor(catalogue, call));
  if (!list) return null;
  if (tokenClasses === null && !images) return isFree(list) ? { nanodollars: 0, lines: [] } : null;
  return costOf({ classes: tokenClasses ?? {}, images }, list, own?.multipliers ?? null);
}

const isFree = ({ pay_as_you_go: { additional_units, image, ...tokens } }: PriceList): boolean =>
  !additional_units && !image && Object.values(tokens).every(({ price }) => price === 0);

/** The catalogue's price of the model that was asked for, of the one it is based on, or of the one that answered. */
function listFor(
  catalogue: Catalogue,
  {
    provider,
    model,
    answeredModel,
    at,
    usage,
    own,
  }: Pick<PricedCall, 'provider' | 'model' | 'answeredModel' | 'at' | 'usage' | 'own'>,
): PriceList | null {
  if (provider === null) return null;
  const find = (name: string | null | undefined) => (name ? catalogue.find(provider, name, at) : null);
  const listed = find(model) ?? find(own?.baseModel) ?? find(answeredModel());
  return listed && priceListOf(listed, usage.counts.promptTokens ?? 0, usage.terms);
}
