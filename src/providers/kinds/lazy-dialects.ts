import type { Endpoint } from '../endpoint.ts';
import type { Dialect } from '../provider.ts';

/** The dialects that a module exports by endpoint, loaded when one of them is first needed. */
export const lazyDialects = <E extends Endpoint>(
  endpoints: readonly E[],
  load: () => Promise<Record<E, Dialect>>,
): Partial<Record<Endpoint, () => Promise<Dialect>>> =>
  Object.fromEntries(endpoints.map((endpoint) => [endpoint, async () => (await load())[endpoint]]));
