import type { Counter, LimitAsk, LimitEngine, Reservation, Shortage } from '../../limits/engine.ts';
import type { LimitFacts, LimitIndexes } from '../../limits/match/index.ts';
import type { CountedLimit } from '../../recording/log/limits.ts';

/** The limits of a call, before a target is chosen. */
export type CallLimits = {
  indexes: LimitIndexes | null;
  facts: LimitFacts;
  /** Rates of requests, of which the call has taken its part. */
  taken: Counter[];
  /** All others: each attempt at a target takes what it may come to. */
  held: Counter[];
  /** What was taken, for the log. */
  counted: CountedLimit[];
};

export const isReservation = (outcome: Reservation | Shortage): outcome is Reservation => 'settle' in outcome;

/** Whether a call has its part of a limit as soon as it comes, whatever becomes of it. */
export const isTakenOnArrival = ({ limit }: Counter): boolean =>
  limit.kind === 'rate' && limit.unit === 'requests';

/** One of each, which is enough to see whether anything is left. */
export const one = (counter: Counter): LimitAsk => ({ counter, amount: 1 });

/** Why a counter that is spent, or can never have enough, refuses; null where what is missing may come back. */
export function spentOf(counters: readonly Counter[], engine: LimitEngine): Shortage | null {
  if (counters.length === 0) return null;
  const shortage = engine.look(counters.map(one));
  return shortage && (shortage.why === 'spent' || shortage.why === 'never') ? shortage : null;
}
