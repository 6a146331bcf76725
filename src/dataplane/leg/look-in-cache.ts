import type { Settled } from '../answer/settled.ts';
import { cachingOf } from '../cache/caching.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import type { Leg } from './leg.ts';
import type { LegStep, RunLeg } from './leg-step.ts';

/** Looks for an answer in the cache, where the config has one; otherwise keeps the provider's answer there. */
export const lookInCache: LegStep = (leg, dependencies, next) =>
  leg.leaf.cache === null || leg.denied !== null
    ? next(leg, dependencies)
    : throughCache(leg, dependencies, next);

async function throughCache(leg: Leg, dependencies: DataplaneDependencies, next: RunLeg): Promise<Settled> {
  const { cache } = dependencies;
  const caching = cachingOf(leg, cache.maxAge);
  if (caching === null) return next(leg, dependencies);
  const { status, found, keep } = await cache.lookUp(caching);
  leg.cache = { status, mode: caching.mode, found };
  const settled = await next(leg, dependencies);
  const { result, relayed, capture } = settled;
  if (relayed && result.failure === null && result.defect === null) keep(settled.status, capture.taken());
  return settled;
}
