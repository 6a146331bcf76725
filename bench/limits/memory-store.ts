import type { CounterDocument, CounterUpdate, StoredLease } from '../../src/limits/counters/document.ts';
import { placeOfSample } from '../../src/limits/counters/samples.ts';

/** Counters in memory, changed as the database changes them. Its time is what it is told. */
export class MemoryStore {
  readonly counters = new Map<string, CounterDocument>();

  /** Whether the update found its conditions true. */
  apply(update: CounterUpdate, time: number): boolean {
    const counter = this.counters.get(update.id);
    if (update.kind === 'make') {
      if (!counter) this.counters.set(update.id, { ...update.counter, L: {}, samples: {} });
      return !counter;
    }
    if (!counter || !holds(counter, update)) return false;
    if (update.kind === 'sample')
      counter.samples = { ...counter.samples, [placeOfSample(update.sample).place]: update.sample };
    else if (update.kind === 'refill') {
      counter.room += update.amount;
      counter.fill -= update.amount;
      counter.at = update.newAt;
      counter.fullAt = update.fullAt ?? counter.fullAt;
    } else if (update.kind === 'edit') {
      counter.room += update.newCap - update.cap;
      counter.cap = update.newCap;
      counter.ver = update.newVer;
      counter.fullAt = update.fullAt ?? counter.fullAt;
    } else change(counter, update, time);
    return true;
  }

  read(ids: readonly string[]): CounterDocument[] {
    return ids.flatMap((id) => {
      const counter = this.counters.get(id);
      if (!counter) return [];
      const leases = Object.entries(counter.L).map(([key, lease]) => [key, { ...lease }] as const);
      return [{ ...counter, L: Object.fromEntries(leases) }];
    });
  }

  /** Room, use and leases must add up to the cap in every version of a counter. */
  conserves(): boolean {
    return [...this.counters.values()].every(({ cap, room, fill, L }) => {
      const leased = Object.values(L).reduce((sum, { g, u }) => sum + g - u, 0);
      return room + fill + leased === cap;
    });
  }
}

function holds(counter: CounterDocument, update: Exclude<CounterUpdate, { kind: 'make' }>): boolean {
  switch (update.kind) {
    case 'sample': {
      const { sample } = update;
      const { place, hourBegan } = placeOfSample(sample);
      const kept = counter.samples[place];
      const isKept = kept !== undefined && kept.at >= hourBegan && kept.gen === sample.gen;
      return counter.gen === sample.gen && !isKept;
    }
    case 'refill':
      return counter.at === update.at && (update.fill === undefined || counter.fill === update.fill);
    case 'edit':
      return (
        counter.ver === update.ver &&
        counter.cap === update.cap &&
        (update.at === undefined || counter.at === update.at)
      );
    case 'lease': {
      const lease = counter.L[update.lease];
      const follows = update.after === null ? !lease : lease && update.after.includes(lease.s);
      return (
        Boolean(follows) &&
        counter.room >= (update.roomAtLeast ?? Number.NEGATIVE_INFINITY) &&
        counter.fullAt >= (update.fullAtLeast ?? Number.NEGATIVE_INFINITY) &&
        (update.capIs === undefined || counter.cap === update.capIs) &&
        (update.grantIs === undefined || lease?.g === update.grantIs)
      );
    }
  }
}

function change(counter: CounterDocument, update: CounterUpdate & { kind: 'lease' }, time: number): void {
  counter.room += update.room;
  counter.fill += update.fill;
  counter.fullAt += update.fullLater ?? 0;
  counter.uncertain += update.uncertain ?? 0;
  counter.overshoot += update.overshoot ?? 0;
  counter.unpriced += update.unpriced ?? 0;
  counter.expiresAt = update.expiresAt ?? counter.expiresAt;
  if (update.becomes === null) {
    delete counter.L[update.lease];
    return;
  }
  const { add, ...values } = update.becomes;
  const before: Partial<StoredLease> = counter.L[update.lease] ?? {};
  counter.L[update.lease] = { u: 0, ...before, ...values, g: (before.g ?? 0) + add, t: time } as StoredLease;
}
