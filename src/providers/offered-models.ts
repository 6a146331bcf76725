import { findProvider } from './index.ts';

/** What an integration says of models. */
type Offer = {
  aiProviderId: string;
  /** False: those that are listed alone. */
  allowAllModels: boolean;
  /** By name; those that are switched off are not offered. */
  models: Iterable<readonly [name: string, model: { enabled: boolean }]>;
};

/** The models that are known to be there for an integration; `known`: further ones of its kind of provider. */
export function offeredModels(
  { aiProviderId, allowAllModels, models }: Offer,
  known: Iterable<string> = [],
): Set<string> {
  const offered = new Set<string>();
  const isOff = new Set<string>();
  for (const [name, { enabled }] of models) (enabled ? offered : isOff).add(name);
  if (!allowAllModels) return offered;
  for (const name of [...(findProvider(aiProviderId)?.models ?? []), ...known])
    if (!isOff.has(name)) offered.add(name);
  return offered;
}
