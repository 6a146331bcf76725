import type { Counter } from '../../limits/engine.ts';
import type { Settled } from '../answer/settled.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { isTakenOnArrival } from '../limits/call-limits.ts';
import { mayCost } from '../limits/count-in.ts';
import { isAbout } from '../limits/leg-limits.ts';
import { namedModel } from '../target/requested-model.ts';
import type { Leg } from './leg.ts';
import type { LegStep, RunLeg } from './leg-step.ts';

/** Finds all limits that an attempt at the target comes under: the caller's, and those of provider, integration and model. */
export const findLimits: LegStep = (leg, dependencies, next) => {
  leg.limits = null;
  const own = leg.target.record?.limits ?? NONE;
  return leg.call.limits === null && own.length === 0
    ? next(leg, dependencies)
    : find(leg, dependencies, next);
};

const NONE: readonly [] = [];

function find(leg: Leg, dependencies: DataplaneDependencies, next: RunLeg): Promise<Settled> {
  const { call } = leg;
  const { limiting } = dependencies;
  const all = [...(call.limits?.held ?? NONE), ...countersAt(leg, dependencies)];
  // What costs nothing still counts as a request.
  const counters = mayCost(call) ? all : all.filter(isTakenOnArrival);
  if (counters.length === 0) return next(leg, dependencies);
  const prices = isAbout(counters, 'cost') ? limiting.prices() : null;
  if (prices instanceof Promise)
    return prices.then((catalogue) => {
      leg.limits = blank(counters, catalogue);
      return next(leg, dependencies);
    });
  leg.limits = blank(counters, prices);
  return next(leg, dependencies);
}

const blank = (
  counters: readonly Counter[],
  catalogue: NonNullable<Leg['limits']>['catalogue'],
): Leg['limits'] => ({
  counters,
  catalogue,
  model: null,
  bound: null,
  tariff: null,
  cap: 0,
  chosenCap: null,
  asks: [],
  amounts: [],
});

/** Those that are about the target. */
export function countersAt(
  { call, target }: Pick<Leg, 'call' | 'target'>,
  { limiting: { engine } }: Pick<DataplaneDependencies, 'limiting'>,
): Counter[] {
  const { record, provider } = target;
  const counters = (record?.limits ?? NONE).map((limit) => engine.counterOf(limit, '', {}));
  const index = call.limits?.indexes?.target ?? null;
  if (index === null || call.limits === null) return counters;
  const model = namedModel(call.body) ?? target.model ?? '';
  const facts = {
    ...call.limits.facts,
    model: record === null || model.startsWith('@') || model === '' ? model : `@${record.slug}/${model}`,
    virtual_key: record?.slug ?? '',
    provider: provider.id,
  };
  for (const { limit, valueKey, values } of index.matching(facts))
    counters.push(engine.counterOf(limit, valueKey, values));
  return counters;
}
