import type { Reservation } from '../engine.ts';
import type { Slot } from './slot.ts';

/** Told of what a settlement did, in the order of the slots. */
type Settled = (slots: readonly Slot[]) => void;

/** What a call holds in the memory of this process. */
export class Held implements Reservation {
  readonly slots: readonly Slot[];
  readonly #amounts: readonly number[];
  readonly #onSettled: Settled;
  #isOpen = true;

  constructor(slots: readonly Slot[], amounts: readonly number[], onSettled: Settled) {
    this.slots = slots;
    this.#amounts = amounts;
    this.#onSettled = onSettled;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  settle(amounts: readonly number[], how?: { uncertain?: boolean; unpriced?: boolean }): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (let index = 0; index < this.slots.length; index++) {
      const { lease } = this.slots[index] as Slot;
      const reserved = this.#amounts[index] as number;
      const used = wholeAmount(amounts[index], reserved);
      lease.held -= reserved;
      lease.used += used;
      if (used > reserved) lease.overshoot += used - reserved;
      if (how?.uncertain) lease.uncertain += used;
      if (how?.unpriced) lease.unpriced += 1;
    }
    this.#onSettled(this.slots);
  }
}

/** An amount that is no number counts as what was reserved. */
const wholeAmount = (amount: number | undefined, reserved: number): number =>
  amount !== undefined && Number.isFinite(amount) ? Math.max(0, Math.ceil(amount)) : reserved;
