import { counterId, windowAt } from '../counters/window.ts';
import type { Limit } from '../limit.ts';
import { Demand } from './demand.ts';
import { newLease } from './lease.ts';
import type { Slot } from './slot.ts';
import type { Handle } from './waiting.ts';

/** The counters that a process keeps, and the keys of its leases. */
export class Slots {
  /** By the id of the limit and the key of the value: a name made of both would be a new text for each call. */
  readonly #handles = new Map<string, Map<string, Handle>>();
  readonly #byId = new Map<string, Slot>();
  readonly #processId: string;
  readonly #capacity: number;
  #keys = 0;

  constructor(processId: string, capacity: number) {
    this.#processId = processId;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#byId.size;
  }

  all(): IterableIterator<Slot> {
    return this.#byId.values();
  }

  get(id: string): Slot | undefined {
    return this.#byId.get(id);
  }

  /** A key that was never given before. */
  nextKey(): string {
    return `${this.#processId}-${(this.#keys++).toString(36)}`;
  }

  isOwnKey(key: string): boolean {
    return key.startsWith(`${this.#processId}-`);
  }

  handleOf(limit: Limit, valueKey: string, values: Readonly<Record<string, string>>): Handle {
    let ofLimit = this.#handles.get(limit.id);
    if (!ofLimit) {
      ofLimit = new Map();
      this.#handles.set(limit.id, ofLimit);
    }
    const known = ofLimit.get(valueKey);
    if (!known) {
      const handle: Handle = { limit, valueKey, values, slot: null };
      ofLimit.set(valueKey, handle);
      return handle;
    }
    if (known.limit !== limit && limit.version >= known.limit.version) {
      known.limit = limit;
      if (known.slot) follow(known.slot, limit);
      // Its window may be another one now.
      known.slot = null;
    }
    return known;
  }

  slotOf(handle: Handle, wallTime: number, now: number): Slot {
    const { limit, valueKey, values } = handle;
    const span = windowAt(limit.window, wallTime);
    const id = counterId(limit, valueKey, span);
    let slot = this.#byId.get(id);
    if (!slot) {
      slot = {
        id,
        limit,
        valueKey,
        values,
        span,
        lease: newLease(this.nextKey()),
        known: null,
        demand: new Demand(now),
        waiters: new Set(),
        usedAt: now,
        refusedAt: Number.NEGATIVE_INFINITY,
        roundAt: Number.NEGATIVE_INFINITY,
        sentAt: Number.NEGATIVE_INFINITY,
        confirmedAt: now,
        isFree: limit.enforcement === 'observe',
        reportable: { used: 0, before: 0 },
        usedAtSend: 0,
        sampled: '',
        isUnwritten: false,
        isClosed: false,
        local: null,
      };
      this.#byId.set(id, slot);
      if (this.#byId.size > this.#capacity) this.#retire(now);
    } else if (slot.limit !== limit && limit.version >= slot.limit.version) follow(slot, limit);
    handle.slot = slot;
    return slot;
  }

  /** Forgets a slot of which the store knows all and nobody needs anything. */
  drop(slot: Slot): void {
    slot.isClosed = true;
    this.#byId.delete(slot.id);
    const ofLimit = this.#handles.get(slot.limit.id);
    const handle = ofLimit?.get(slot.valueKey);
    if (!ofLimit || !handle || (handle.slot !== slot && handle.slot !== null)) return;
    ofLimit.delete(slot.valueKey);
    if (ofLimit.size === 0) this.#handles.delete(slot.limit.id);
  }

  /** What carries on a slot that was forgotten, and what was used of it since. */
  current(slot: Slot): Slot {
    if (!slot.isClosed) return slot;
    const other = this.#byId.get(slot.id);
    if (!other) {
      slot.isClosed = false;
      slot.known = null;
      this.#byId.set(slot.id, slot);
      return slot;
    }
    for (const sum of ['used', 'uncertain', 'overshoot', 'unpriced'] as const) {
      other.lease[sum] += slot.lease[sum];
      slot.lease[sum] = 0;
    }
    return other;
  }

  /** Lets go of those that were used least lately. They leave memory once their leases are given back. */
  #retire(now: number): void {
    const idle = [...this.#byId.values()].filter(({ usedAt, lease }) => usedAt < now && lease.held === 0);
    idle.sort((one, other) => one.usedAt - other.usedAt);
    const surplus = Math.ceil(this.#capacity / 20);
    for (const slot of idle.slice(0, surplus)) slot.usedAt = Number.NEGATIVE_INFINITY;
  }
}

/** Takes over an edit. What was leased under the former amount goes back, and is asked for anew. */
function follow(slot: Slot, limit: Limit): void {
  const isEdited = limit.version > slot.limit.version;
  slot.limit = limit;
  slot.isFree = limit.enforcement === 'observe';
  if (isEdited) revoke(slot);
}

/** From now on the slack of a slot is on its way back to the store. */
export function revoke({ lease }: Slot): void {
  lease.granted = Math.min(lease.granted, lease.used + lease.held);
}
