import type { CounterDocument, CounterStore, CounterUpdate } from '../../src/limits/counters/document.ts';
import { MemoryStore } from './memory-store.ts';

/** Where a simulation keeps its counters. It throws where room, use and leases of one do not add up. */
export type SimulatedStore = {
  /** `time`: of the store, in milliseconds since the epoch. */
  write(updates: readonly CounterUpdate[], time: number): void | Promise<void>;
  read(ids: readonly string[]): CounterDocument[] | Promise<CounterDocument[]>;
};

export function inMemory(): SimulatedStore {
  const store = new MemoryStore();
  return {
    write(updates, time) {
      for (const update of updates) store.apply(update, time);
      if (!store.conserves()) throw new Error('Room, use and leases do not add up.');
    },
    read: (ids) => store.read(ids),
  };
}

/** Counters of a real database, whose time is its own. */
export const inDatabase = (store: CounterStore): SimulatedStore => ({
  async write(updates) {
    if (updates.length === 0) return;
    await store.write(updates);
    for (const { cap, room, fill, L } of await store.read([...new Set(updates.map(({ id }) => id))])) {
      const leased = Object.values(L).reduce((sum, { g, u }) => sum + g - u, 0);
      if (room + fill + leased !== cap) throw new Error('Room, use and leases do not add up.');
    }
  },
  read: (ids) => store.read(ids),
});
