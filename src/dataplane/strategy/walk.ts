import type { Leaf, Plan, Sticky, TargetGroup } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import { factsOf } from '../call/facts.ts';
import type { UpstreamFailure } from '../send/upstream.ts';
import type { Health } from './breaker/index.ts';
import { draw, type Random } from './draw.ts';
import { noteStep } from './note-step.ts';
import { openPlaces, targetAt } from './open-places.ts';
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
  const places = placesFor(group, context);
  let outcome: Outcome = { status: 0, relayed: false, result: { failure: null } };
  for (const [turn, place] of places.entries()) {
    if (turn === 0) noteStep(context.call, group, place, 'first', null);
    else noteStep(context.call, group, place, 'fallback', outcome.status);
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

/** The places that may be called; the others are noted. */
function placesFor(group: TargetGroup, { call, health }: Walk): readonly number[] {
  const usable = openPlaces(group, { health });
  if (usable.length === group.places.length) return usable;
  for (const place of group.places) {
    if (!usable.includes(place)) noteStep(call, group, place, 'circuit_open', null);
  }
  return usable;
}

function chosenPlace(group: TargetGroup, context: Walk): number | Promise<number> {
  if (group.mode === 'conditional') return matchedPlace(group, context.call);
  const places = placesFor(group, context);
  if (group.mode === 'single') return noted(context, group, places[0] ?? -1, 'only');
  if (!group.sticky) return noted(context, group, draw(group.weights, places, context.random), 'weight');
  const stuck = stuckPlace(group, group.sticky, places, context);
  return stuck instanceof Promise
    ? stuck.then((place) => noted(context, group, place, 'sticky'))
    : noted(context, group, stuck, 'sticky');
}

function noted(
  { call }: Walk,
  group: TargetGroup,
  place: number,
  reason: 'only' | 'weight' | 'sticky',
): number {
  noteStep(call, group, place, reason, reason === 'weight' ? (group.weights[place] ?? null) : null);
  return place;
}

/** The target of the first condition that holds, else the default. */
function matchedPlace(group: TargetGroup, call: Call): number {
  const facts = factsOf(call);
  const index = group.conditions.findIndex(({ test }) => test?.(facts));
  const name = group.conditions[index]?.then ?? group.fallbackName;
  const place = (name === null ? undefined : group.byName.get(name)) ?? -1;
  if (index < 0) noteStep(call, group, place, 'default', null);
  else noteStep(call, group, place, 'condition', index);
  return place;
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
