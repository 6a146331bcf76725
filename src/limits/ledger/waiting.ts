import type { Reservation, Shortage } from '../engine.ts';
import { slackOf } from './lease.ts';
import type { Slot } from './slot.ts';

/** A call that waits for what it needs. It holds nothing meanwhile. */
export type Waiter = {
  readonly handles: readonly Handle[];
  readonly amounts: readonly number[];
  slots: Slot[];
  readonly since: number;
  /** Monotonic time after which it is refused. */
  readonly until: number;
  settle(outcome: Reservation | Shortage): void;
};

/** What the pipeline holds of a counter: it leads to the slot of the window of now. */
export type Handle = {
  limit: Slot['limit'];
  readonly valueKey: string;
  readonly values: Readonly<Record<string, string>>;
  slot: Slot | null;
};

/** Calls that may wait for one counter; the next one is refused at once. */
export const MOST_WAITING = 2000;

export const enqueue = (waiter: Waiter): void => {
  for (const slot of waiter.slots) slot.waiters.add(waiter);
};

export const dequeue = (waiter: Waiter): void => {
  for (const slot of waiter.slots) slot.waiters.delete(waiter);
};

/** How much a waiter needs of a slot. */
export function neededOf({ slots, amounts }: Waiter, slot: Slot): number {
  let sum = 0;
  for (const [index, one] of slots.entries()) if (one === slot) sum += amounts[index] ?? 0;
  return sum;
}

/** Whether a slot gives so much without asking the store. */
export const gives = (slot: Slot, amount: number): boolean =>
  amount === 0 || slot.isFree || (slot.lease.leaving === null && slackOf(slot.lease) >= amount);
