import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/lib/logger.ts';
import { createLimitEngine } from '../../src/limits/engine/index.ts';
import type { Reservation } from '../../src/limits/engine.ts';
import type { Limit } from '../../src/limits/limit.ts';
import { MemoryStore } from './memory-store.ts';
import { scenarios } from './scenarios.ts';
import { simulate } from './simulator.ts';

const [counts = '1,8,32', seeds = '1', seconds = '40'] = process.argv.slice(2);

console.log(`Budgets of ${seconds} s of demand: share used, and whether anything was overspent.`);
let overspent = 0;
for (const [name, scenario] of Object.entries(scenarios)) {
  const cells: string[] = [];
  for (const processes of counts.split(',').map(Number)) {
    let used = 0;
    for (let seed = 1; seed <= Number(seeds); seed++) {
      const outcome = await simulate(scenario(seed, processes, Number(seconds)));
      overspent += outcome.overspent + outcome.overcommitted;
      used += outcome.utilisation;
    }
    cells.push(`${processes}: ${(used / Number(seeds)).toFixed(4)}`);
  }
  console.log(`${name.padEnd(36)} ${cells.join('   ')}`);
}
console.log(`overspent in all runs: ${overspent}`);
const journalDirectory = await mkdtemp(join(tmpdir(), 'sluice-bench-limits-'));
for (const directory of [null, journalDirectory]) {
  const micros = await decisions(directory);
  console.log(
    `admission and settlement with five limits${directory ? ', with the journal' : ''}: ${micros.toFixed(2)} µs`,
  );
}
await rm(journalDirectory, { recursive: true });
process.exitCode = overspent > 0 ? 1 : 0;

/** Microseconds of an admission and its settlement with five limits in one process: the best of several runs. */
async function decisions(journalDirectory: string | null): Promise<number> {
  const store = new MemoryStore();
  const engine = createLimitEngine({
    store: {
      async write(updates) {
        for (const update of updates) store.apply(update, Date.now());
      },
      read: async (ids) => store.read(ids),
    },
    leaseMs: 1000,
    journalDirectory,
    log: createLogger('silent'),
  });
  engine.start();
  // The engine's own timers let a process end.
  const alive = setInterval(() => undefined, 1000);
  const limits: readonly Limit[] = scenarios['five counters a call']?.(1, 1, 1).limits ?? [];
  const asks = limits.map((limit) => ({
    counter: engine.counterOf({ ...limit, amount: Number.MAX_SAFE_INTEGER }, '', {}),
    amount: 1000,
  }));
  const costs = asks.map(() => 300);
  const calls = 200_000;
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 15; run++) {
    let local = 0;
    let spent = 0;
    for (let batch = 0; batch < calls / 1000; batch++) {
      const begun = performance.now();
      for (let call = 0; call < 1000; call++) {
        const outcome = engine.take(asks);
        if (outcome instanceof Promise) {
          ((await outcome) as Reservation).settle(costs);
          break;
        }
        (outcome as Reservation).settle(costs);
        local += 1;
      }
      spent += performance.now() - begun;
      await new Promise(setImmediate);
    }
    if (local > 0) best = Math.min(best, (1000 * spent) / local);
  }
  await engine.stop();
  clearInterval(alive);
  return best;
}
