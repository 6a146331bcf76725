import type { Provider } from '../provider.ts';

const DEFAULT_VERSION = '2023-06-01';

/** The key in `x-api-key`, the version of the format, and the betas that the caller or the integration asks for. */
export const authorize: Provider['authorize'] = ({ headers }, { key, settings }) => {
  if (key !== null) headers['x-api-key'] = key;
  headers['anthropic-version'] =
    settings.anthropic_version ?? headers['anthropic-version'] ?? DEFAULT_VERSION;
  const betas = joinBetas(headers['anthropic-beta'], settings.anthropic_beta);
  if (betas !== '') headers['anthropic-beta'] = betas;
};

/** Comma lists as one, each name once. */
export function joinBetas(...lists: (string | string[] | undefined)[]): string {
  const names = lists
    .flatMap((list) => String(list ?? '').split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return [...new Set(names)].join(',');
}
