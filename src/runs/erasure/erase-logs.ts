import { eraseBodies } from '../../recording/log/erase-bodies.ts';
import type { RunDocument } from '../run.ts';
import type { ErasureDeps } from './deps.ts';

/** Runs whose logs are looked for together. */
const RUNS_A_LOOK = 100;

/** Takes headers and bodies from the logs of runs of one organisation; answers how many had some. */
export async function eraseLogs(
  deps: Pick<ErasureDeps, 'db' | 'logs'>,
  organisationId: string,
  runs: readonly Pick<RunDocument, '_id' | 'traceId'>[],
): Promise<number> {
  let erased = 0;
  for (let at = 0; at < runs.length; at += RUNS_A_LOOK) {
    const some = runs.slice(at, at + RUNS_A_LOOK);
    const ids = new Set<unknown>(some.map(({ _id }) => _id));
    const traceIds = [...new Set(some.map(({ traceId }) => traceId))];
    // A trace may be the caller's own, with other calls in it.
    const found = await deps
      .logs()
      .find(
        { organisationId, traceId: { $in: traceIds }, bodiesId: { $ne: null } },
        { projection: { _id: 1, bodiesId: 1, metadata: 1 } },
      )
      .toArray();
    erased += await eraseBodies(
      deps.db(),
      found.filter(({ metadata }) => ids.has(metadata?._run)),
    );
  }
  return erased;
}
