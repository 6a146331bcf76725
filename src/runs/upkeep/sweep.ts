import type { RunDeps } from '../deps.ts';
import { type RunDocument, withStepsEnded } from '../run.ts';
import { change } from '../transitions.ts';

/** Runs that one look ends or takes over. */
const BATCH = 100;
/** Processes that may begin a turn of a run before it fails. */
const MAX_ATTEMPTS = 3;
/** Milliseconds for which the messages of a run are looked for that somebody ended who did not execute it. */
const CLOSING_MS = 10_000;

/** Ends a run whose time is over, and what is open of it; null where somebody else was first. */
export async function expire(deps: RunDeps, run: RunDocument): Promise<RunDocument | null> {
  const now = deps.now();
  const expired = await change(deps.runs(), 'expire', run, {
    set: { steps: withStepsEnded(run.steps, 'expired', now), closingSince: now },
    guard: { expiresAt: { $lte: now } },
  });
  if (expired) await closeSoon(deps, expired);
  return expired;
}

/** Cancels a run that nobody executes; null where that is not so any more. */
export async function cancelAtRest(deps: RunDeps, run: RunDocument): Promise<RunDocument | null> {
  const now = deps.now();
  const cancelled = await change(deps.runs(), 'cancelAtRest', run, {
    set: { steps: withStepsEnded(run.steps, 'cancelled', now), cancelledAt: now, closingSince: now },
  });
  if (cancelled) await closeSoon(deps, cancelled);
  return cancelled;
}

/** Ends the messages of a run that has ended; where that fails, a sign of life does it. */
async function closeSoon(deps: RunDeps, run: RunDocument): Promise<void> {
  const reason = run.status === 'expired' ? 'run_expired' : 'run_cancelled';
  await closeMessages(deps, [run._id], reason).catch((error: unknown) => {
    deps.log.warn(
      { error, runId: run._id },
      'The messages of a run that has ended could not be closed; it is tried again.',
    );
  });
}

const isClosing = { closingSince: { $gt: new Date(0) } };

/** Whether a run has ended of which something may be open. */
export const hasClosing = async ({ runs }: RunDeps): Promise<boolean> =>
  (await runs().findOne(isClosing, { projection: { _id: 1 } })) !== null;

/**
 * Ends what is open of runs that somebody ended who did not execute them: for a while, since a process that did may show a message
 * that it was about to write.
 */
export async function closeEnded({ items, runs, now }: RunDeps): Promise<void> {
  const found = await runs()
    .find(isClosing, { projection: { status: 1 } })
    .sort({ closingSince: 1 })
    .limit(BATCH)
    .toArray();
  if (found.length === 0) return;
  const idsOf = (isExpired: boolean) =>
    found.filter(({ status }) => (status === 'expired') === isExpired).map(({ _id }) => _id);
  await closeMessages({ items, now }, idsOf(true), 'run_expired');
  await closeMessages({ items, now }, idsOf(false), 'run_cancelled');
  await runs().updateMany(
    {
      _id: { $in: found.map(({ _id }) => _id) },
      closingSince: { $lt: new Date(now().getTime() - CLOSING_MS) },
    },
    { $unset: { closingSince: '' } },
  );
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
};

/** What this process executes, or is about to. */
type Executed = { ids(): string[]; has(id: string): boolean };

const none: Executed = { ids: () => [], has: () => false };

/**
 * Takes over what a process had that is dead, or what this process has and does not execute, which `executed` tells; answers the runs
 * that are to be executed here.
 */
export async function takeOver(
  deps: RunDeps,
  { from, to, places }: TakingOver,
  executed: Executed = none,
): Promise<{ taken: RunDocument[]; isAll: boolean }> {
  const limit = Math.max(1, Math.min(BATCH, places));
  const ids = executed.ids();
  const found = await deps
    .runs()
    .find({ owner: from, active: true, ...(ids.length > 0 && { _id: { $nin: ids } }) })
    .sort({ createdAt: 1 })
    .limit(limit)
    .toArray();
  const taken: RunDocument[] = [];
  for (const run of found) {
    // It was begun here while it was being looked for.
    if (executed.has(run._id)) continue;
    const isCancelling = run.status === 'cancelling';
    const mine = await change(deps.runs(), isCancelling ? 'takeOverCancelling' : 'takeOver', run, {
      // A process that is alive has not died of the run, and yet begins its turn anew.
      set: {
        owner: to,
        ...(from === to ? { attempt: Math.max(run.attempt, 2) } : { takenOverAt: deps.now() }),
      },
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
  await closeMessages(deps, [run._id], 'run_cancelled');
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
  await closeMessages(deps, [run._id], 'run_failed');
  await change(deps.runs(), 'fail', run, {
    set: { steps: withStepsEnded(run.steps, 'failed', now, lastError), failedAt: now, lastError },
  });
}

/** Ends the messages that runs have begun and nobody goes on with. */
export async function closeMessages(
  { items, now }: Pick<RunDeps, 'items' | 'now'>,
  runIds: readonly string[],
  reason: 'run_expired' | 'run_cancelled' | 'run_failed',
): Promise<void> {
  if (runIds.length === 0) return;
  await items().updateMany(
    { runId: { $in: [...runIds] }, status: 'in_progress' },
    { $set: { status: 'incomplete', incompleteReason: reason, incompleteAt: now() } as object },
  );
}
