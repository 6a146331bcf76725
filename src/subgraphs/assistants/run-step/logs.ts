import DataLoader from 'dataloader';
import { ownRequestsFilter } from '../../../auth/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import type { RunDocument } from '../../../runs/run.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { logModel, mayOpen } from '../../insights/log/index.ts';
import type { RunStepRow } from './service.ts';

/** What of a log says which turn it belongs to, and what that turn cost. */
type TurnLog = Pick<LogRecord, '_id' | 'apiKeyId' | 'metadata' | 'costNanodollars'>;

/** Logs of one run that are looked at: retries and fallbacks have one each. */
const MOST_LOGS = 1000;

/** The logs of runs that the credential sees, oldest first: one query for all the runs of a level. */
const logsOfRun = perRequest(
  (context: GraphContext) =>
    new DataLoader<RunDocument, TurnLog[], string>(
      async (runs) => {
        const { principal } = context;
        if (!principal) return runs.map(() => []);
        const found = await logModel(context.db)
          .find(
            { ...ownRequestsFilter(principal), traceId: { $in: runs.map(({ traceId }) => traceId) } },
            { apiKeyId: 1, metadata: 1, costNanodollars: 1 },
          )
          .sort({ createdAt: 1, _id: 1 })
          .limit(MOST_LOGS * runs.length)
          .lean<TurnLog[]>();
        const seen = found.filter((log) => mayOpen(principal, log));
        return runs.map(({ _id }) =>
          seen.filter(({ metadata }) => metadata._run === _id).slice(0, MOST_LOGS),
        );
      },
      { cacheKeyFn: ({ _id }) => _id },
    ),
);

/** The logs of the turn that made a step. */
export async function logsOfStep(
  context: GraphContext,
  { run, step }: Pick<RunStepRow, 'run' | 'step'>,
): Promise<TurnLog[]> {
  const logs = await logsOfRun(context).load(run);
  return logs.filter(({ metadata }) => metadata._turn === String(step.turn));
}
