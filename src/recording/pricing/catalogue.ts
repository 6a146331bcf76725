import type { calcPrice, findProvider } from '@pydantic/genai-prices';
import { catalogueNames, modelNames } from './catalogue-names.ts';
import type { Listed, ListedPrices } from './convert.ts';
import { supplement } from './supplement.ts';

type Library = { calcPrice: typeof calcPrice; findProvider: typeof findProvider };

/** The prices that the gateway brings along. */
export type Catalogue = {
  /** Prices of a model as they were at a time; `provider` is a kind of provider, e.g. `bedrock`. Null when it is not known. */
  find(provider: string, model: string, at: Date): Listed | null;
  /** Every model of a kind of provider by its name; null when it knows none. */
  list(provider: string, at: Date): Map<string, Listed> | null;
};

let loading: Promise<Catalogue> | null = null;

/** The catalogue is large and first needed when something was used, so it is read then. */
export function loadCatalogue(): Promise<Catalogue> {
  loading ??= import('@pydantic/genai-prices').then(createCatalogue);
  return loading;
}

/** The catalogue's name for a kind of provider; null where it has no prices of it. */
const nameOf = (provider: string): string | null =>
  (Object.hasOwn(catalogueNames, provider) && catalogueNames[provider]) || null;

export const isPriced = (provider: string): boolean => nameOf(provider) !== null;

function createCatalogue(library: Library): Catalogue {
  /** Asking for the price of nothing gives the prices; they may depend on the date and on the time of day. */
  function findExact(provider: string, model: string, at: Date): Listed | null {
    const found = library.calcPrice({}, model, { providerId: provider, timestamp: at });
    if (found) return { provider, model: found.model.id, prices: found.model_price as ListedPrices };
    const name = model.toLowerCase();
    return Object.hasOwn(supplement[provider] ?? {}, name) ? { provider, model: name, prices: {} } : null;
  }

  return {
    find(provider, model, at) {
      const name = nameOf(provider);
      if (name === null) return null;
      for (const candidate of modelNames(model)) {
        const found = findExact(name, candidate, at);
        if (found) return found;
      }
      return null;
    },
    list(provider, at) {
      const name = nameOf(provider);
      if (name === null) return null;
      const known = library.findProvider({ providerId: name })?.models ?? [];
      const ids = [...known.map(({ id }) => id), ...Object.keys(supplement[name] ?? {})];
      const found = ids.map((id) => [id, findExact(name, id, at)] as const);
      return new Map(found.flatMap(([id, listed]) => (listed ? [[id, listed] as const] : [])));
    },
  };
}
