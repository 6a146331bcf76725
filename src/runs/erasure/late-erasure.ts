import type { Connection } from 'mongoose';
import type { Logger } from '../../lib/logger.ts';
import { createDuty, type Duty } from '../../storage/duty.ts';
import type { Leases } from '../../storage/leases.ts';
import type { ErasureDeps } from './deps.ts';
import { eraseLogs } from './erase-logs.ts';
import { type ErasedRun, noteLook } from './erased-runs.ts';

/** Milliseconds between two looks for runs that are due. */
const LOOK_MS = 60_000;
const RUNS_AT_A_TIME = 500;

type Deps = Pick<ErasureDeps, 'db' | 'logs' | 'batches' | 'erasedRuns' | 'now'> & {
  connection: Connection;
  leases: Leases;
  log: Logger;
};

/** Erases what runs wrote behind their erasure, in whichever process: bodies of their last calls, and events. */
export function createLateErasure(deps: Deps): Pick<Duty, 'start' | 'stop'> {
  const { connection, leases, now, log } = deps;
  const due = () => ({ nextLookAt: { $lte: now() } });
  let lookAt = 0;
  return createDuty({
    ...{ name: 'late erasure', db: connection, leases, log },
    async isDue() {
      const time = performance.now();
      if (time < lookAt) return false;
      lookAt = time + LOOK_MS;
      return (await deps.erasedRuns().findOne(due(), { projection: { _id: 1 } })) !== null;
    },
    async work(signal) {
      while (!signal.aborted) {
        const runs = await deps.erasedRuns().find(due()).limit(RUNS_AT_A_TIME).toArray();
        if (runs.length === 0) return;
        await eraseLate(deps, runs);
        await noteLook(deps.erasedRuns(), runs, now());
      }
    },
  });
}

async function eraseLate(deps: Deps, runs: readonly ErasedRun[]): Promise<void> {
  let logs = 0;
  for (const [organisationId, own] of Map.groupBy(runs, (run) => run.organisationId)) {
    logs += await eraseLogs(deps, organisationId, own);
    await deps.batches().deleteMany({ runId: { $in: own.map(({ _id }) => _id) }, organisationId });
  }
  if (logs > 0)
    deps.log.info({ logs }, 'Logs that came behind the erasure of their runs have lost their bodies.');
}
