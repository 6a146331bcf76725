import type { Limit } from './limit.ts';

/** One value of a limit within one window, as this process knows it. Its members are the engine's own. */
export type Counter = { readonly limit: Limit; readonly valueKey: string };

/** What a call needs of a counter, in the unit of its limit. */
export type LimitAsk = { counter: Counter; amount: number };

/** What a call holds until it ends. */
export type Reservation = {
  /**
   * Ends it with the true amounts, in the order of what was asked; what was held beyond them is free at once. Only the first
   * call counts. `uncertain`: the amounts are a bound, since no usage was reported. `unpriced`: they are nothing, since the call
   * has no price.
   */
  settle(amounts: readonly number[], how?: { uncertain?: boolean; unpriced?: boolean }): void;
  readonly isOpen: boolean;
};

/** Why a call may not be made: of the first counter that has not enough, in words for `refusal.ts`. */
export type Shortage = {
  ask: LimitAsk;
  /** `spent`: until the window ends; `held`: by calls under way; `never`: more than the whole limit; `lost`: no store. */
  why: 'spent' | 'rate' | 'held' | 'never' | 'lost';
  used: number;
  held: number;
  /** When the window ends or the rate has enough again, in milliseconds since the epoch; null for never. */
  availableAt: number | null;
};

/** What a counter stands at, for headers, dry runs and the administration. */
export type CounterState = {
  amount: number;
  used: number;
  held: number;
  remaining: number;
  /** Milliseconds since the epoch; null for a window without an end. */
  resetsAt: number | null;
};

/** Whoever may give up waiting. The signal is read only where there is something to wait for: making one is dear. */
export type LimitAsker = { readonly signal: AbortSignal };

/**
 * Counts exactly across all processes of an installation. A process admits from pieces of each counter that it took out of
 * the store beforehand, so that a call waits for the store only at first sight of a counter and near its end.
 */
export type LimitEngine = {
  /** The counter of a limit for the values of its groups, in the window of now; it costs a look-up after the first time. */
  counterOf(limit: Limit, valueKey: string, values: Readonly<Record<string, string>>): Counter;
  /**
   * All or nothing. A plain reservation where this process has enough, a promise where it must ask the store or wait; it
   * rejects with the reason of the asker's signal when that aborts first. Amounts are whole numbers.
   */
  take(
    asks: readonly LimitAsk[],
    asker?: LimitAsker,
  ): Reservation | Shortage | Promise<Reservation | Shortage>;
  /** What `take` would say now, from what this process knows; takes nothing. */
  look(asks: readonly LimitAsk[]): Shortage | null;
  stateOf(counter: Counter): CounterState;
};
