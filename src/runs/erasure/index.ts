import type { Connection } from 'mongoose';
import type { Logger } from '../../lib/logger.ts';
import { createDuty, type Duty } from '../../storage/duty.ts';
import type { Leases } from '../../storage/leases.ts';
import { type ErasedCounts, type ErasureDeps, erasedKinds } from './deps.ts';
import { type ErasureOptions, eraseThread } from './erase-thread.ts';
import { chosenThreads, stillThreads, type ThreadChoice } from './find-threads.ts';

export type { ErasureDeps } from './deps.ts';
export { erasedRunModel } from './erased-runs.ts';
export { createLateErasure } from './late-erasure.ts';

/** Threads that one call erases. */
const MOST_THREADS = 1000;
const LOOK_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** `hasMore`: as many threads are left as one call does not erase; the same call goes on with them. */
export type Erasure = ErasedCounts & { hasMore: boolean };

const none: ErasedCounts = { threads: 0, messages: 0, runs: 0, files: 0, vectorStoreFiles: 0, logs: 0 };

export type ThreadErasure = {
  erase(choice: ThreadChoice, options: ErasureOptions): Promise<Erasure>;
};

export function createThreadErasure(deps: ErasureDeps): ThreadErasure {
  return {
    async erase(choice, options) {
      const sum: Erasure = { ...none, hasMore: false };
      for await (const thread of chosenThreads(deps, choice)) {
        if (sum.threads >= MOST_THREADS) return { ...sum, hasMore: true };
        const counts = await eraseThread(deps, thread, options);
        for (const kind of erasedKinds) sum[kind] += counts[kind];
      }
      return sum;
    },
  };
}

type RetentionDeps = ErasureDeps & {
  connection: Connection;
  leases: Leases;
  log: Logger;
};

/** Erases threads once nothing has happened on them for so many days; one process does it, hourly. */
export function createThreadRetention(deps: RetentionDeps, days: number): Pick<Duty, 'start' | 'stop'> {
  const { connection, leases, now, log } = deps;
  const limit = () => new Date(now().getTime() - days * DAY_MS);
  let dueAt = 0;
  return createDuty({
    ...{ name: 'thread retention', db: connection, leases, log },
    async isDue() {
      const time = performance.now();
      if (time < dueAt) return false;
      dueAt = time + LOOK_MS;
      const found = await deps
        .threads()
        .findOne({ lastUpdatedAt: { $lte: limit() } }, { projection: { _id: 1 } });
      return found !== null;
    },
    async work(signal) {
      let threads = 0;
      for await (const thread of stillThreads(deps, limit())) {
        if (signal.aborted) break;
        threads += (await eraseThread(deps, thread, { attached: false })).threads;
      }
      if (threads > 0)
        log.info({ threads, days }, 'Threads were erased on which nothing had happened for so long.');
    },
  });
}
