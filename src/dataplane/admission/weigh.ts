import type { LimitAsk, LimitEngine, Shortage } from '../../limits/engine.ts';
import type { LegLimits } from '../limits/leg-limits.ts';
import type { LimitVerdict, WeighedLimit } from './admission.ts';

/** What a counter would say to an ask, by what is known of it. */
export function weighed(ask: LimitAsk, engine: LimitEngine): WeighedLimit {
  const state = engine.stateOf(ask.counter);
  const { counter, amount: needed } = ask;
  const { limit } = counter;
  const verdict = (): LimitVerdict => {
    if (limit.enforcement === 'observe') return 'fits';
    if (needed > limit.amount || limit.amount === 0) return 'never';
    if (state.remaining >= Math.max(1, needed)) return 'fits';
    if (limit.kind === 'rate') return 'rate';
    return state.remaining + state.held >= Math.max(1, needed) ? 'held' : 'spent';
  };
  return { counter, state, needed, verdict: verdict() };
}

/** The limits of a target that refuses a call of which nobody can know what it comes to. */
export const unknownTo = ({ counters, tariff, bound }: LegLimits, engine: LimitEngine): WeighedLimit[] =>
  counters.map((counter) => {
    const { unpriced, unit, enforcement } = counter.limit;
    const asksToKnow = unpriced === 'refuse' && unit !== 'requests' && enforcement !== 'observe';
    const isUnknown = bound?.class === 'unmetered' || (unit === 'cost' && tariff === null);
    const state = engine.stateOf(counter);
    return { counter, state, needed: 0, verdict: asksToKnow && isUnknown ? 'unknown' : 'fits' };
  });

/** Why the first limit that refuses does so; null where none does. */
export function shortageOf(limits: readonly WeighedLimit[]): Shortage | null {
  for (const { counter, state, needed, verdict } of limits) {
    if (verdict === 'fits' || verdict === 'unknown') continue;
    const { used, held } = state;
    const availableAt = verdict === 'rate' ? refilledAt({ counter, state, needed, verdict }) : state.resetsAt;
    return { ask: { counter, amount: needed }, why: verdict, used, held, availableAt };
  }
  return null;
}

/** When a rate has enough again: a bucket comes back evenly, a window at its end. */
function refilledAt({ counter: { limit }, state, needed }: WeighedLimit): number | null {
  const { amount, window } = limit;
  if (window.kind !== 'bucket') return state.resetsAt;
  return Math.ceil(Date.now() + ((needed - state.remaining) * window.seconds * 1000) / amount);
}
