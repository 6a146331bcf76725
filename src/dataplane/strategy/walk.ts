import { GatewayError } from '../../errors/index.ts';
import type { Call } from '../call.ts';
import type { Group, Leaf, Plan } from '../config/plan.ts';
import { firstMatch } from './conditions.ts';

/** What became of a target's last answer: sent to the caller, or thrown away because another target is to be tried. */
export type Outcome = { status: number; relayed: boolean };

/**
 * Calls one target with its retries. `accept` says, once the status is known, whether that answer goes to the caller;
 * when it says no, the answer is discarded and the walk goes on.
 */
export type CallTarget = (leaf: Leaf, accept: (status: number) => boolean) => Promise<Outcome>;

/** Walks a plan until one answer has gone to the caller (spec/data-plane.md, section 2.3). */
export function walk(plan: Plan, call: Call, callTarget: CallTarget): Promise<Outcome> {
  return visit(plan, call, callTarget, () => true);
}

function visit(
  plan: Plan,
  call: Call,
  callTarget: CallTarget,
  accept: (status: number) => boolean,
): Promise<Outcome> {
  if (plan.kind === 'leaf') return callTarget(plan, accept);
  if (plan.mode === 'fallback') return fallback(plan, call, callTarget, accept);
  return visit(choose(plan, call), call, callTarget, accept);
}

/** Targets in order; the last one's answer stands whatever it is. */
async function fallback(
  group: Group,
  call: Call,
  callTarget: CallTarget,
  accept: (status: number) => boolean,
): Promise<Outcome> {
  let outcome: Outcome = { status: 0, relayed: false };
  for (const [index, target] of group.targets.entries()) {
    const isLast = index === group.targets.length - 1;
    // A body that went out as a stream is gone: there is nothing to send to a next target.
    const mayGoOn = (status: number) => !isLast && call.body.kind !== 'stream' && triggers(group, status);
    outcome = await visit(target, call, callTarget, (status) => !mayGoOn(status) && accept(status));
    if (outcome.relayed || !mayGoOn(outcome.status)) return outcome;
  }
  return outcome;
}

const triggers = (group: Group, status: number): boolean =>
  group.onStatusCodes ? group.onStatusCodes.has(status) : status < 200 || status > 299;

function choose(group: Group, call: Call): Plan {
  const index = chosenIndex(group, call);
  const target = group.targets[index];
  if (!target)
    throw new GatewayError('INVALID_CONFIG', {
      message: 'The strategy names no target.',
      param: 'config.strategy',
    });
  return target;
}

function chosenIndex(group: Group, call: Call): number {
  if (group.mode === 'loadbalance') return draw(group.weights);
  if (group.mode === 'conditional') {
    const match = firstMatch(group.conditions, call);
    const name = group.conditions[match]?.then ?? group.fallbackName;
    return (name === null ? undefined : group.byName.get(name)) ?? -1;
  }
  return 0;
}

/** The first target whose running weight exceeds a draw from [0, sum of weights). */
function draw(weights: readonly number[]): number {
  let rest = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
}
