import { LRUCache } from 'lru-cache';
import { GatewayError } from '../../../errors/index.ts';
import {
  loadCatalogue,
  type PriceList,
  priceListOf,
  priceTiersOf,
  usualCalculation,
} from '../../../recording/pricing/index.ts';
import type { GraphContext } from '../../context.ts';
import { configurationOf } from './configuration.ts';

const unknown = (message: string) => new GatewayError('NOT_FOUND', { message });

export async function getModelPricing({ now }: GraphContext, provider: string, model: string) {
  const { listed, list } = await findModel(provider, model, now());
  return {
    payAsYouGo: list.pay_as_you_go,
    longInput: priceTiersOf(listed).map(({ above, list }) => ({
      aboveInputTokens: above,
      payAsYouGo: list.pay_as_you_go,
    })),
    calculate: usualCalculation,
    currency: 'USD',
    finetuneConfig: null,
  };
}

export async function getModelConfiguration({ now }: GraphContext, provider: string, model: string) {
  const { listed, list } = await findModel(provider, model, now());
  return configurationOf(listed.model, list);
}

async function findModel(provider: string, model: string, at: Date) {
  const catalogue = await loadCatalogue();
  const listed = catalogue.find(provider, model, at);
  const list = listed && priceListOf(listed, 0);
  if (!list) throw unknown(`No price of ${model} at ${provider} is known.`);
  return { listed, list };
}

type PublishedTier = { above_input_tokens: number } & Pick<PriceList, 'pay_as_you_go'>;
type ProviderPricing = Record<
  string,
  { pricing_config: Partial<PriceList> & { long_input?: PublishedTier[] } }
>;

const HOUR = 60 * 60 * 1000;
// Hundreds of models each, for anybody who asks; some prices change by the hour.
const tables = new LRUCache<string, ProviderPricing>({ max: 100 });

export async function getProviderPricing({ now }: GraphContext, provider: string): Promise<ProviderPricing> {
  const at = now();
  const key = `${Math.floor(at.getTime() / HOUR)}/${provider}`;
  let table = tables.get(key);
  if (!table) {
    table = await tableOf(provider, at);
    tables.set(key, table);
  }
  return table;
}

async function tableOf(provider: string, at: Date): Promise<ProviderPricing> {
  const models = (await loadCatalogue()).list(provider, at);
  if (!models) throw unknown(`No prices of ${provider} are known.`);
  const priced = [...models].flatMap(([name, listed]) => {
    const list = priceListOf(listed, 0);
    if (!list) return [];
    const tiers = priceTiersOf(listed).map(({ above, list: { pay_as_you_go } }) => ({
      above_input_tokens: above,
      pay_as_you_go,
    }));
    return [[name, { pricing_config: tiers.length > 0 ? { ...list, long_input: tiers } : list }] as const];
  });
  const common = { pay_as_you_go: {}, calculate: usualCalculation, currency: 'USD' as const };
  return { default: { pricing_config: common }, ...Object.fromEntries(priced) };
}
