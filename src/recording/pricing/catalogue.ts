import type { ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import { LRUCache } from 'lru-cache';
import { findProvider } from '../../providers/index.ts';
import type { Listed, ListedPrices } from './convert.ts';
import { withLongInput } from './long-input.ts';
import { modelNames } from './model-names.ts';
import { supplement } from './supplement.ts';

type Library = Pick<typeof import('@pydantic/genai-prices'), 'calcPrice' | 'findProvider'>;

/** The prices that the gateway brings along. */
export type Catalogue = {
  /** Prices of a model as they were at a time; `provider` is a kind of provider, e.g. `bedrock`. Null when it is not known. */
  find(provider: string, model: string, at: Date): Listed | null;
  /** Every model of a kind of provider by its name; null when it knows none. */
  list(provider: string, at: Date): Map<string, Listed> | null;
  /** The names of these models; none of a kind of provider that it does not know. */
  names(provider: string): string[];
};

const MINUTE = 60_000;

let loading: Promise<Catalogue> | null = null;

/** The catalogue is large and first needed when something was used, so it is read then. */
export function loadCatalogue(): Promise<Catalogue> {
  loading ??= import('@pydantic/genai-prices').then(createCatalogue);
  return loading;
}

/** The catalogue's name for a kind of provider; null where it has no prices of it. */
const nameOf = (provider: string): string | null => findProvider(provider)?.priceName ?? null;

export const isPriced = (provider: string): boolean => nameOf(provider) !== null;

const listedAs = (provider: string, { id, context_window }: ModelInfo, prices: ModelPrice): Listed =>
  withLongInput({
    provider,
    model: id,
    prices: prices as ListedPrices,
    ...(context_window !== undefined && { contextWindow: context_window }),
  });

function createCatalogue(library: Library): Catalogue {
  /** Asking for the price of nothing gives the prices; they may depend on the date and on the time of day. */
  function findExact(name: string, model: string, at: Date): Listed | null {
    const found = library.calcPrice({}, model, { providerId: name, timestamp: at });
    if (found) return listedAs(name, found.model, found.model_price);
    const listed = modelsOf(name).find(({ id }) => id === model);
    if (listed) return pricesOf(name, listed, at);
    const added = model.toLowerCase();
    return Object.hasOwn(supplement[name] ?? {}, added) ? { provider: name, model: added, prices: {} } : null;
  }

  const modelsOf = (name: string): ModelInfo[] => library.findProvider({ providerId: name })?.models ?? [];

  /** The prices of an entry itself: not every one goes by its own id. */
  function pricesOf(name: string, model: ModelInfo, at: Date): Listed {
    const only = { ...model, match: { equals: model.id } };
    const provider = { id: name, name, api_pattern: '', models: [only] };
    const found = library.calcPrice({}, model.id, { provider, timestamp: at });
    return listedAs(name, model, found?.model_price ?? {});
  }

  // Looking through hundreds of models takes longer than the rest of a log, and prices change by the minute at most.
  const known = new LRUCache<string, Listed | 'none'>({ max: 2000 });

  function search(name: string, model: string, at: Date): Listed | 'none' {
    for (const candidate of modelNames(model)) {
      const found = findExact(name, candidate, at);
      if (found) return found;
    }
    return 'none';
  }

  return {
    find(provider, model, at) {
      const name = nameOf(provider);
      if (name === null) return null;
      const key = `${Math.floor(at.getTime() / MINUTE)}/${name}/${model}`;
      let found = known.get(key);
      if (!found) {
        found = search(name, model, at);
        known.set(key, found);
      }
      return found === 'none' ? null : found;
    },
    list(provider, at) {
      const name = nameOf(provider);
      if (name === null) return null;
      const listed = modelsOf(name).map((model) => [model.id, pricesOf(name, model, at)] as const);
      const added = Object.keys(supplement[name] ?? {}).flatMap((model) => {
        const found = findExact(name, model, at);
        return found ? [[model, found] as const] : [];
      });
      return new Map([...added, ...listed]);
    },
    names(provider) {
      const name = nameOf(provider);
      if (name === null) return [];
      return [...new Set([...Object.keys(supplement[name] ?? {}), ...modelsOf(name).map(({ id }) => id)])];
    },
  };
}
