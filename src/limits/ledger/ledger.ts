import { SILENCE_MS } from '../counters/document.ts';
import type { CounterState, LimitAsk, Reservation, Shortage } from '../engine.ts';
import type { Limit } from '../limit.ts';
import { admitsAlone, spendAlone } from './alone.ts';
import type { StoreClock } from './clock.ts';
import type { Moment } from './plan.ts';
import { Held } from './reservation.ts';
import { Rounds } from './rounds.ts';
import { type Patience, shortageOf, stateOf } from './shortage.ts';
import { isLent, type Slot } from './slot.ts';
import { revoke, Slots } from './slots.ts';
import { dequeue, enqueue, gives, type Handle, MOST_WAITING, type Waiter } from './waiting.ts';

export type LedgerOptions = {
  /** Begins the keys of this process's leases; nobody else's begin so. */
  processId: string;
  clock: StoreClock;
  /** Milliseconds of demand that are leased ahead. */
  leaseMs: number;
  /** Counters to keep in memory. */
  capacity: number;
  /** Told of slots whose use or holds have changed: `isTaken` before the call goes out. */
  note?: (slots: readonly Slot[], isTaken: boolean) => void;
  /** Told when something has changed for calls that wait: `admit` and a round are due. */
  wake?: () => void;
  /** Told of a slot after a document of it was read. */
  onRead?: (slot: Slot) => void;
};

/**
 * All counters of one process, without timers, input or output: times come as arguments, in monotonic milliseconds. A call
 * either finds enough in every counter and takes it in one turn, or takes nothing and waits for rounds.
 */
export class Ledger {
  readonly slots: Slots;
  readonly rounds: Rounds;
  readonly #options: LedgerOptions;
  /** Reservations that are open. */
  open = 0;
  taken = 0;
  refused = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.slots = new Slots(options.processId, options.capacity);
    this.rounds = new Rounds(this.slots, options, (now) => this.admit(now));
  }

  moment(now: number): Moment {
    const { clock, leaseMs } = this.#options;
    return {
      now,
      storeTime: clock.said,
      wallTime: clock.now(now),
      hasLeapt: clock.hasLeapt(now),
      leaseMs,
    };
  }

  counterOf(limit: Limit, valueKey: string, values: Readonly<Record<string, string>>): Handle {
    return this.slots.handleOf(limit, valueKey, values);
  }

  /** `null`: it has to wait, and `waiting` says so to the round. */
  take(asks: readonly LimitAsk[], now: number): Reservation | null {
    const slots: Slot[] = new Array(asks.length);
    for (let index = 0; index < asks.length; index++) {
      const { counter, amount } = asks[index] as LimitAsk;
      const slot = this.#slotOf(counter as Handle, now);
      slot.usedAt = now;
      slots[index] = slot;
      if (!gives(slot, amount)) return null;
    }
    return hasRepetition(slots) ? null : this.#hold(slots, asks.map(amountOf));
  }

  /** Queues a call for which `take` has not found enough, or says at once what becomes of it. */
  wait(asks: readonly LimitAsk[], now: number, settle: Waiter['settle']): Waiter | null {
    const handles = asks.map(({ counter }) => counter as Handle);
    const slots = handles.map((handle) => this.#slotOf(handle, now));
    for (const [index, slot] of slots.entries()) slot.demand.add(asks[index]?.amount ?? 0);
    const waitMs = Math.max(0, ...slots.map(({ limit }) => limit.waitMs));
    const waiter: Waiter = {
      handles,
      amounts: asks.map(amountOf),
      slots,
      since: now,
      until: now + waitMs,
      settle,
    };
    const isCrowded = slots.some(({ waiters }) => waiters.size >= MOST_WAITING);
    if (this.#decide(waiter, now, isCrowded)) return null;
    enqueue(waiter);
    this.rounds.waiting.add(waiter);
    this.#options.wake?.();
    return waiter;
  }

  leave(waiter: Waiter): void {
    dequeue(waiter);
    this.rounds.waiting.delete(waiter);
  }

  look(asks: readonly LimitAsk[], now: number): Shortage | null {
    const wallTime = this.#options.clock.now(now);
    for (const { counter, amount } of asks) {
      const slot = this.#slotOf(counter as Handle, now);
      slot.usedAt = now;
      const ask = { counter, amount: Math.max(1, amount) };
      if (slot.isFree || gives(slot, ask.amount)) continue;
      const shortage = shortageOf(slot, ask, wallTime, amount === 0 ? 'waits' : 'ended');
      if (shortage) return this.#refuse(slot, shortage, now);
    }
    return null;
  }

  stateOf(handle: Handle, now: number): CounterState {
    return stateOf(this.#slotOf(handle, now), this.#options.clock.now(now));
  }

  /** After a round: who can be served is, in the order of arrival; a smaller one may pass. */
  admit(now: number): void {
    for (const waiter of [...this.rounds.waiting]) {
      this.#follow(waiter, now);
      if (this.#decide(waiter, now, false)) this.leave(waiter);
    }
  }

  /** Serves or refuses a call, if either can be said now. */
  #decide(waiter: Waiter, now: number, isCrowded: boolean): boolean {
    const { slots, amounts } = waiter;
    const isLost = this.rounds.isLost(now);
    const gaps = [...needsOf(waiter)].filter(([slot, { amount }]) => !gives(slot, amount));
    if (gaps.every(([slot, { amount }]) => isLost && admitsAlone(slot, amount, now))) {
      for (const [slot, { amount }] of gaps) spendAlone(slot, amount, now);
      waiter.settle(this.#hold(slots, amounts, false));
      return true;
    }
    const shortage = this.#shortageOf(waiter, now, isCrowded);
    if (shortage) waiter.settle(shortage);
    return shortage !== null;
  }

  #hold(slots: Slot[], amounts: readonly number[], isNew = true): Reservation {
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] as Slot;
      const amount = amounts[index] as number;
      slot.lease.held += amount;
      if (isNew) slot.demand.add(amount);
    }
    this.open += 1;
    this.taken += 1;
    this.#options.note?.(slots, true);
    return new Held(slots, amounts, this.#settled);
  }

  /** Told of what a settlement did, in the order of the slots. */
  readonly #settled = (settled: readonly Slot[]): void => {
    this.open -= 1;
    // A call that was to cost nothing did not keep its counters in memory, and may have cost something all the same.
    const slots = settled.some(isClosed) ? settled.map((slot) => this.slots.current(slot)) : settled;
    this.#options.note?.(slots, false);
    if (this.rounds.waiting.size > 0 && slots.some(({ waiters }) => waiters.size > 0)) this.#options.wake?.();
  };

  /** Moves a waiter to the windows of now. */
  #follow(waiter: Waiter, now: number): void {
    const slots = waiter.handles.map((handle) => this.#slotOf(handle, now));
    if (slots.every((slot, index) => slot === waiter.slots[index])) return;
    dequeue(waiter);
    waiter.slots = slots;
    enqueue(waiter);
  }

  /** The slot of a counter in the window of now. */
  #slotOf(handle: Handle, now: number): Slot {
    let { slot } = handle;
    if (!slot || slot.isClosed || !isWithin(slot, this.#options.clock.now(now)))
      slot = this.slots.slotOf(handle, this.#options.clock.now(now), now);
    // Others may have given back by now what a process holds of which nothing was heard.
    if (now - slot.confirmedAt > TRUST_MS && isLent(slot)) revoke(slot);
    return slot;
  }

  #shortageOf(waiter: Waiter, now: number, isCrowded: boolean): Shortage | null {
    const wallTime = this.#options.clock.now(now);
    const isLost = this.rounds.isLost(now);
    for (const [slot, ask] of needsOf(waiter)) {
      const { amount } = ask;
      if (gives(slot, amount)) continue;
      const isHeard = slot.known !== null && slot.known.readAt >= Math.min(waiter.since, now - FRESH_MS);
      const patience = isHeard || isCrowded ? patienceOf(waiter, now, isCrowded) : 'waits';
      const shortage = shortageOf(slot, ask, wallTime, patience);
      if (isLost && shortage?.why !== 'never' && !admitsAlone(slot, amount, now))
        return this.#refuse(slot, { ask, why: 'lost', used: 0, held: 0, availableAt: wallTime + 1000 }, now);
      if (shortage && (isHeard || isCrowded || shortage.why === 'never'))
        return this.#refuse(slot, shortage, now);
    }
    return null;
  }

  #refuse(slot: Slot, shortage: Shortage, now: number): Shortage {
    slot.refusedAt = now;
    this.refused += 1;
    return shortage;
  }
}

/** Milliseconds by which the store's time may seem to go back: what is known of it gets better. */
const STEP_BACK_MS = 1000;

/** Whether a time of the store is in the window of a slot. The first one that is heard may show that the own clock is ahead. */
const isWithin = ({ span: { from, until } }: Slot, time: number): boolean =>
  until === null || (time < until && time >= (from ?? 0) - STEP_BACK_MS);

/** Milliseconds without a message after which a lease that others may end is not used any more. */
const TRUST_MS = SILENCE_MS - 5000;

/** Milliseconds for which what was read of a counter serves to refuse a call. */
const FRESH_MS = 250;

/** Milliseconds that a call goes on trying where the store shows room, while others are quicker. */
const GRACE_MS = 1000;

function patienceOf({ until }: Waiter, now: number, isCrowded: boolean): Patience {
  if (isCrowded || now >= until + GRACE_MS) return 'overdue';
  return now >= until ? 'ended' : 'waits';
}

const isClosed = (slot: Slot): boolean => slot.isClosed;

const amountOf = ({ amount }: LimitAsk): number => amount;

/** Whether two asks are about the same counter. */
function hasRepetition(slots: readonly Slot[]): boolean {
  for (let index = 1; index < slots.length; index++)
    if (slots.indexOf(slots[index] as Slot) !== index) return true;
  return false;
}

/** What a call needs of each slot. */
function needsOf({ slots, handles, amounts }: Waiter): Map<Slot, LimitAsk> {
  const needs = new Map<Slot, LimitAsk>();
  for (const [index, slot] of slots.entries()) {
    const counter = handles[index] as Handle;
    const amount = (amounts[index] ?? 0) + (needs.get(slot)?.amount ?? 0);
    needs.set(slot, { counter, amount });
  }
  return needs;
}
