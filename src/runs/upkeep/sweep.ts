import type { RunDeps } from '../deps.ts';
import { type RunDocument, withStepsEnded } from '../run.ts';
import { change } from '../transitions.ts';

/** Runs that one look ends or takes over. */
const BATCH = 100;
/** Processes that may begin a turn of a run before it fails. */
const MAX_ATTEMPTS = 3;

/** Ends a run whose time is over, and what is open of it; null where somebody else was first. */
export async function expire(deps: RunDeps, run: RunDocument): Promise<RunDocument | null> {
  const now = deps.now();
  const expired = await change(deps.runs(), 'expire', run, {
    set: { steps: withStepsEnded(run.steps, 'expired', now) },
    guard: { expiresAt: { $lte: now } },
  });
  if (expired) await closeMessages(deps, expired, 'run_expired');
  return expired;
}

/** The runs whose time is over. */
export const overdue = ({ runs, now }: RunDeps): Promise<RunDocument[]> =>
  runs()
    .find({ active: true, expiresAt: { $lte: now() }, status: { $ne: 'cancelling' } })
    .limit(BATCH)
    .toArray();

type TakingOver = {
  from: string;
  to: string;
  places: number;
  /** The runs that are executed all the same. */
  except?: readonly string[];
};

/**
 * Takes over what a process had that is dead, or what this process has and does not execute; answers the runs that are to be executed
 * here.
 */
export async function takeOver(
  deps: RunDeps,
  { from, to, places, except = [] }: TakingOver,
): Promise<{ taken: RunDocument[]; isAll: boolean }> {
  const limit = Math.max(1, Math.min(BATCH, places));
  const found = await deps
    .runs()
    .find({ owner: from, active: true, ...(except.length > 0 && { _id: { $nin: except } }) })
    .sort({ createdAt: 1 })
    .limit(limit)
    .toArray();
  const taken: RunDocument[] = [];
  for (const run of found) {
    const isCancelling = run.status === 'cancelling';
    const mine = await change(deps.runs(), isCancelling ? 'takeOverCancelling' : 'takeOver', run, {
      // A process that is alive has not died of the run, and yet begins its turn anew.
      set: { owner: to, ...(from === to && { attempt: Math.max(run.attempt, 2) }) },
      increase: { fence: 1, ...(from !== to && { attempt: 1 }) },
      guard: { owner: from },
    });
    if (!mine) continue;
    if (isCancelling) await endCancelled(deps, mine);
    else if (mine.attempt > MAX_ATTEMPTS) await failWorn(deps, mine);
    else taken.push(mine);
  }
  return { taken, isAll: found.length < limit };
}

async function endCancelled(deps: RunDeps, run: RunDocument): Promise<void> {
  const now = deps.now();
  await closeMessages(deps, run, 'run_cancelled');
  await change(deps.runs(), 'cancel', run, {
    set: { steps: withStepsEnded(run.steps, 'cancelled', now), cancelledAt: now },
  });
}

async function failWorn(deps: RunDeps, run: RunDocument): Promise<void> {
  const now = deps.now();
  const lastError = {
    code: 'server_error',
    message: 'The run failed: each process that executed it died.',
  } as const;
  await closeMessages(deps, run, 'run_failed');
  await change(deps.runs(), 'fail', run, {
    set: { steps: withStepsEnded(run.steps, 'failed', now, lastError), failedAt: now, lastError },
  });
}

/** Ends the messages that a run has begun and nobody goes on with. */
export async function closeMessages(
  { items, now }: RunDeps,
  run: RunDocument,
  reason: 'run_expired' | 'run_cancelled' | 'run_failed',
): Promise<void> {
  await items().updateMany(
    { runId: run._id, status: 'in_progress' },
    { $set: { status: 'incomplete', incompleteReason: reason, incompleteAt: now() } as object },
  );
}
