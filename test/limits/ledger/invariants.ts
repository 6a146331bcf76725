import { MemoryStore } from '../../../bench/limits/memory-store.ts';
import { EPOCH, type World } from './world.ts';

/** I8: what calls came to and hold is at most the largest amount that the budget had, and what was forgiven or exceeded it. */
export function checkBudgets({ accounts, caps }: World): void {
  for (const [id, { limitId, forgiven, spent, held, overshoot }] of accounts) {
    const cap = caps.get(limitId) ?? 0;
    if (spent + held > cap + forgiven + overshoot)
      throw new Error(`I8: ${spent} spent and ${held} held of ${cap} and ${forgiven} in ${id}`);
  }
}

/** What must hold in every world; throws what does not. I1, I2, I4, I5, I11 and I12 are checked as they happen. */
export function check(world: World): void {
  humility(world, world.store);
  for (const { updates } of world.air) humility(world, after(world, updates));
  humility(
    world,
    after(
      world,
      world.air.flatMap(({ updates }) => updates),
    ),
  );
}

/** I3 and I7: a process believes to hold at most what the store says, whichever messages arrive. */
function humility({ processes }: World, store: MemoryStore): void {
  for (const { ledger } of processes)
    for (const { id, lease } of ledger.slots.all()) {
      const stored = store.counters.get(id)?.L[lease.key];
      // A beginning that came again after the end is nobody's.
      if (!stored || !lease.joined || stored.s < lease.seen) continue;
      if (lease.granted > stored.g)
        throw new Error(`I3: believes in ${lease.granted}, has ${stored.g} of ${id}`);
    }
}

/** The store once messages have arrived. */
function after({ store, now }: World, updates: World['air'][number]['updates']): MemoryStore {
  const copy = new MemoryStore();
  for (const [id, counter] of store.counters) copy.counters.set(id, structuredClone(counter));
  for (const update of updates) copy.apply(update, EPOCH + now);
  return copy;
}
