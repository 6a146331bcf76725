import { allOffers, endpointsOf, type Offer } from '../../src/providers/endpoint.ts';
import { allProviders, isPassedOn, type Provider } from '../../src/providers/index.ts';

/** Providers that stand for no company: they are described in words. */
const ownProviders: readonly string[] = ['gateway', 'mock', 'passthrough'];

/** What a provider takes in a format that the gateway knows, as it is or translated. */
export const offersOf = ({ endpoints, dialects }: Provider): readonly Offer[] =>
  allOffers.filter((offer) =>
    [...endpointsOf(offer)].some(
      (endpoint) => !isPassedOn(endpoint) && (endpoints.has(endpoint) || dialects?.[endpoint]),
    ),
  );

/** The table of providers as Markdown, out of the registry: those with the same offers and settings share a row. */
export function providersTable(): string {
  const rows = new Map<string, string[]>();
  for (const provider of allProviders) {
    if (ownProviders.includes(provider.id)) continue;
    const offered = offersOf(provider).join(', ') || 'none but `/v1/proxy/…`';
    const names = Object.keys(provider.settings).map((name) => `\`${name}\``);
    const rest = `${offered} | ${names.join(', ') || '–'}`;
    rows.set(rest, [...(rows.get(rest) ?? []), `\`${provider.id}\``]);
  }
  const lines = [...rows].map(([rest, ids]) => `| ${ids.join(', ')} | ${rest} |`);
  return ['| provider | endpoints | settings |', '|---|---|---|', ...lines, ''].join('\n');
}
