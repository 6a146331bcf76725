import type { Catalogue, OwnPricing, PriceList } from '../../recording/pricing/index.ts';
import { costOf, isPriced, knownTerms, priceListOf, priceTiersOf } from '../../recording/pricing/index.ts';

/** What tokens of a model can cost, in nanodollars each. */
export type Tariff = {
  /** The dearest kinds of tokens, whatever the size and the terms. Sizes from the shortest. */
  steps: readonly { above: number; input: number; output: number }[];
  /** Plain tokens at the usual terms. */
  usual: { input: number; output: number };
  /** For each call, beside tokens. */
  fee: number;
  /** For each image, where images have a price of their own. */
  image: number;
};

/** Who is asked for what. */
export type PricedModel = { provider: string; model: string | null; own: OwnPricing };

/** Tokens of which the price is asked: a price for one is a fraction of a nanodollar. */
const SAMPLE = 1e6;
const MINUTE = 60_000;

const inputUnits = [
  'request_token',
  'cache_write_input_token',
  'cache_write_1h_input_token',
  'request_audio_token',
  'request_image_token',
];
const outputUnits = [
  'response_token',
  'reasoning_token',
  'prediction_rejected_token',
  'response_audio_token',
];
const fees = ['web_search_high_context', 'web_search_medium_context', 'web_search_low_context', 'search'];

/** Models of one minute that are remembered; names of models come from callers. */
const MEMORY = 2000;

/** What was worked out in the present minute, by provider and model. */
class TariffMemory {
  #minute = 0;
  #size = 0;
  readonly #providers = new Map<string, Map<string | null, Tariff | null>>();

  get(provider: string, model: string | null, minute: number): Tariff | null | undefined {
    if (minute !== this.#minute || this.#size >= MEMORY) {
      this.#minute = minute;
      this.#size = 0;
      this.#providers.clear();
    }
    return this.#providers.get(provider)?.get(model);
  }

  set(provider: string, model: string | null, tariff: Tariff | null): void {
    let models = this.#providers.get(provider);
    if (!models) {
      models = new Map();
      this.#providers.set(provider, models);
    }
    models.set(model, tariff);
    this.#size += 1;
  }
}

const known = new TariffMemory();
/** Prices of an integration belong to the record that carries them, and go with it. */
const ofOwners = new WeakMap<object, TariffMemory>();

/** Null where the price of the model is not known. */
export function tariffOf(
  { provider, model, own }: PricedModel,
  catalogue: Catalogue,
  at: Date,
): Tariff | null {
  const memory = own === null ? known : memoryOf(own);
  const found = memory.get(provider, model, Math.floor(at.getTime() / MINUTE));
  if (found !== undefined) return found;
  const tariff = worked({ provider, model, own }, catalogue, at);
  memory.set(provider, model, tariff);
  return tariff;
}

function memoryOf(own: object): TariffMemory {
  let memory = ofOwners.get(own);
  if (!memory) {
    memory = new TariffMemory();
    ofOwners.set(own, memory);
  }
  return memory;
}

function worked({ provider, model, own }: PricedModel, catalogue: Catalogue, at: Date): Tariff | null {
  const lists = own?.list
    ? [{ above: -1, lists: [own.list] }]
    : listsOf({ provider, model, own }, catalogue, at);
  const first = lists[0]?.lists[0];
  if (!first) return null;
  const multipliers = own?.multipliers ?? null;
  const priceOf = (list: PriceList, unit: string): number | null => {
    const cost = costOf({ classes: { [unit]: SAMPLE }, images: null }, list, multipliers);
    return cost === null ? null : cost.nanodollars / SAMPLE;
  };
  const dearest = (all: readonly PriceList[], units: readonly string[]): number | null => {
    const prices = all.flatMap((list) => units.flatMap((unit) => priceOf(list, unit) ?? []));
    return prices.length === 0 ? null : Math.max(...prices);
  };
  const steps = lists.map(({ above, lists }) => ({
    above,
    input: dearest(lists, inputUnits) ?? 0,
    output: dearest(lists, outputUnits) ?? 0,
  }));
  const image = imagePrice(first, multipliers);
  const fee = Math.max(0, ...fees.map((unit) => priceOf(first, unit) ?? 0));
  const isKnown = [...inputUnits, ...outputUnits].some((unit) => priceOf(first, unit) !== null);
  if (!isKnown && image === 0 && fee === 0) return null;
  const usual = {
    input: priceOf(first, 'request_token') ?? 0,
    output: priceOf(first, 'response_token') ?? 0,
  };
  return { steps, usual, fee, image };
}

/** The prices of a model by the size of its input, each under all terms that may come to be. */
function listsOf({ provider, model, own }: PricedModel, catalogue: Catalogue, at: Date) {
  if (!isPriced(provider)) return [];
  const find = (name: string | null | undefined) => (name ? catalogue.find(provider, name, at) : null);
  const listed = find(model) ?? find(own?.baseModel);
  if (!listed) return [];
  const sizes = [-1, ...priceTiersOf(listed).map(({ above }) => above)];
  return sizes.map((above) => ({
    above,
    lists: [[], ...knownTerms(listed.provider).map((term) => [term])].flatMap(
      (terms) => priceListOf(listed, above + 1, terms) ?? [],
    ),
  }));
}

/** The dearest image of a model. */
function imagePrice(list: PriceList, multipliers: NonNullable<OwnPricing>['multipliers']): number {
  const prices = Object.entries(list.pay_as_you_go.image ?? {}).flatMap(([quality, sizes]) =>
    Object.keys(sizes).map(
      (size) =>
        costOf({ classes: {}, images: { count: 1, quality, size } }, list, multipliers)?.nanodollars ?? 0,
    ),
  );
  return Math.max(0, ...prices);
}
