import type { Settled } from '../answer/settled.ts';
import { spanOfTry } from '../call/trace.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { resolveTarget } from '../target/resolve-target.ts';
import type { Target } from '../target/target.ts';
import type { Leg } from './leg.ts';
import type { LegStep, RunLeg } from './leg-step.ts';

/** Decides who is called, where, with which credential and which model. */
export const chooseTarget: LegStep = (leg, dependencies, next) => {
  leg.call.leaf = leg.leaf;
  const found = resolveTarget(leg.leaf, leg.call, dependencies);
  return found instanceof Promise
    ? found.then((target) => goOn(leg, target, dependencies, next))
    : goOn(leg, found, dependencies, next);
};

function goOn(leg: Leg, target: Target, dependencies: DataplaneDependencies, next: RunLeg): Promise<Settled> {
  const { call } = leg;
  leg.target = target;
  call.span = spanOfTry(call.trace, call.plan.kind === 'leaf');
  return next(leg, dependencies);
}
