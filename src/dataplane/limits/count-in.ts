import type { Counter, Reservation, Shortage } from '../../limits/engine.ts';
import { makesSomething } from '../../recording/pricing/index.ts';
import type { Call } from '../call/call.ts';
import { isCounted } from '../call/counted.ts';
import { type CallLimits, isReservation, isTakenOnArrival, one, spentOf } from './call-limits.ts';
import type { Limiting } from './limiting.ts';
import { limitRefusal } from './refusal.ts';

/** A session over WebSocket is opened with GET. */
const SESSION = 101;

/** Whether a call can cost anything: looking at files and batches is free. */
export const mayCost = ({ method, route }: Pick<Call, 'method' | 'route'>): boolean =>
  makesSomething(method, route.endpoint === 'realtime' ? SESSION : 0);

/**
 * Takes one request of each rate, for good: a rate protects the gateway, whatever becomes of the call. Budgets are kept for
 * the attempts at targets, and refuse the call where they are spent. Waits only where the engine has to ask the store.
 */
export function countIn(
  call: Call,
  limits: CallLimits,
  counters: readonly Counter[],
  limiting: Limiting,
): undefined | Promise<unknown> {
  const rates = counters.filter(isTakenOnArrival);
  if (mayCost(call)) {
    const budgets = counters.filter((counter) => !isTakenOnArrival(counter));
    limits.held.push(...budgets);
    const spent = spentOf(budgets, limiting.engine);
    if (spent) throw refused(spent, limiting);
  }
  if (rates.length === 0 || isCounted(call.request)) return;
  const outcome = limiting.engine.take(rates.map(one), call.disconnect);
  if (outcome instanceof Promise) return outcome.then((taken) => settle(limits, rates, taken, limiting));
  settle(limits, rates, outcome, limiting);
}

function settle(
  limits: CallLimits,
  rates: readonly Counter[],
  outcome: Reservation | Shortage,
  limiting: Limiting,
): void {
  if (!isReservation(outcome)) throw refused(outcome, limiting);
  outcome.settle(rates.map(() => 1));
  limits.taken.push(...rates);
  for (const { limit } of rates) limits.counted.push([limit.id, limit.unit, 1]);
}

export const refused = (shortage: Shortage, { engine }: Limiting, advice = '') =>
  limitRefusal(shortage, engine.stateOf(shortage.ask.counter), Date.now(), advice);
