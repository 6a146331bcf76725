import { GatewayError } from '../../errors/index.ts';
import type { Leaf, Plan, Sticky, TargetGroup } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import { factsOf } from '../call/facts.ts';
import type { UpstreamFailure } from '../send/upstream.ts';
import type { Health } from './breaker/index.ts';
import { draw, type Random } from './draw.ts';
import { type StickyTargets, stickyIdOf } from './sticky.ts';

/**
 * What became of a target's last answer: sent to the caller, or thrown away because another target is to be tried. `failure`:
 * why there is no answer, or no whole one.
 */
export type Outcome = { status: number; relayed: boolean; result: { failure: UpstreamFailure | null } };

type Accept = (status: number) => boolean;

/**
 * Calls one target with its retries. `accept` says, once the status is known, whether that answer goes to the caller;
 * when `accept` says no, the answer is discarded and the walk goes on.
 */
export type CallTarget = (leaf: Leaf, accept: Accept) => Promise<Outcome>;

export type Walk = {
  call: Call;
  callTarget: CallTarget;
  /** Null where no circuit breaker counts. */
  health: Health | null;
  sticky: StickyTargets;
  random: Random;
};

/** Walks a plan until one answer has gone to the caller. */
export const walk = (plan: Plan, context: Walk): Promise<Outcome> => visit(plan, context, () => true);

function visit(plan: Plan, context: Walk, accept: Accept): Promise<Outcome> {
  if (plan.kind === 'leaf') {
    return context.health && plan.breaker
      ? countedCall(plan, context.health, context, accept)
      : context.callTarget(plan, accept);
  }
  if (plan.mode === 'fallback') return fallback(plan, context, accept);
  const place = chosenPlace(plan, context);
  return place instanceof Promise
    ? place.then((chosen) => visit(targetAt(plan, chosen), context, accept))
    : visit(targetAt(plan, place), context, accept);
}

/** A caller that hung up, or did not want to wait any longer, says nothing about the target. */
async function countedCall(leaf: Leaf, health: Health, context: Walk, accept: Accept): Promise<Outcome> {
  const { call, callTarget } = context;
  const outcome = await callTarget(leaf, accept);
  const { status, result } = outcome;
  const { failure } = result;
  const isImpatient = failure === 'timeout' && call.headers['x-gateway-request-timeout'] !== undefined;
  if (!call.disconnect.happened && !isImpatient) health.settled(leaf, { status, isBroken: failure !== null });
  return outcome;
}

/** Targets in order; the answer of the last one that may be called stands whatever it is. */
async function fallback(group: TargetGroup, context: Walk, accept: Accept): Promise<Outcome> {
  const places = openPlaces(group, context);
  let outcome: Outcome = { status: 0, relayed: false, result: { failure: null } };
  for (const [turn, place] of places.entries()) {
    const isLast = turn === places.length - 1;
    // A body that went out as a stream is gone: there is nothing to send to a next target.
    const mayGoOn = (status: number) =>
      !isLast &&
      context.call.body.kind !== 'stream' &&
      triggers(group, status) &&
      context.call.tries.allowOneMore();
    outcome = await visit(targetAt(group, place), context, (status) => !mayGoOn(status) && accept(status));
    if (outcome.relayed || !mayGoOn(outcome.status)) return outcome;
  }
  return outcome;
}

const triggers = (group: TargetGroup, status: number): boolean =>
  group.onStatusCodes ? group.onStatusCodes.has(status) : status < 200 || status > 299;

/** The targets that no circuit breaker keeps calls from; all targets where every one is kept from calls. */
function openPlaces(group: TargetGroup, { health }: Walk): readonly number[] {
  if (!health || !group.hasBreakers) return group.places;
  const usable = group.places.filter((place) => !isTakenOut(targetAt(group, place), health));
  // A load balancer starves a target of weight 0: alone it is as good as none.
  const isChoice =
    group.mode === 'loadbalance' ? usable.some((place) => group.weights[place]) : usable.length;
  return isChoice ? usable : group.places;
}

/** A group is taken out with the last of its targets; one with conditions never is. */
function isTakenOut(plan: Plan, health: Health): boolean {
  if (plan.kind === 'leaf') return plan.breaker !== null && health.isOpen(plan);
  if (!plan.hasBreakers || plan.mode === 'conditional') return false;
  return plan.targets.every((target) => isTakenOut(target, health));
}

function targetAt(group: TargetGroup, place: number): Plan {
  const target = group.targets[place];
  if (!target)
    throw new GatewayError('INVALID_CONFIG', {
      message: 'The strategy names no target.',
      param: `${group.path}.strategy`,
    });
  return target;
}

function chosenPlace(group: TargetGroup, context: Walk): number | Promise<number> {
  if (group.mode === 'conditional') return matchedPlace(group, context.call);
  const places = openPlaces(group, context);
  if (group.mode === 'single') return places[0] ?? -1;
  if (group.sticky) return stuckPlace(group, group.sticky, places, context);
  return draw(group.weights, places, context.random);
}

/** The target of the first condition that holds, else the default. */
function matchedPlace(group: TargetGroup, call: Call): number {
  const facts = factsOf(call);
  const name = group.conditions.find(({ test }) => test?.(facts))?.then ?? group.fallbackName;
  return (name === null ? undefined : group.byName.get(name)) ?? -1;
}

/** The target that the caller got before, if it may still be called; else a new draw, which is kept. */
function stuckPlace(
  group: TargetGroup,
  { fields, ttl, identities }: Sticky,
  places: readonly number[],
  { call, sticky, random }: Walk,
): number | Promise<number> {
  const drawn = draw(group.weights, places, random);
  const id = stickyIdOf(call, group, fields);
  const identity = identities[drawn];
  if (id === null || identity === undefined) return drawn;
  const allowed = places.flatMap((place) => identities[place] ?? []);
  const { organisationId } = call.key.principal;
  const found = sticky.keep({ id, organisationId, ttl, drawn: identity, allowed });
  return found instanceof Promise
    ? found.then((kept) => identities.indexOf(kept))
    : identities.indexOf(found);
}
