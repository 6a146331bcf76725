import type { Filter } from 'mongodb';
import type { RunDeps } from './deps.ts';
import type { ThreadItem } from './items.ts';
import { isEnded, type RunDocument } from './run.ts';

/** Removes what was said and told here after a run had been deleted; `said`: which items go with it. */
export async function removeLeft(
  { runs, items, eventLog, batches }: RunDeps,
  { _id }: RunDocument,
  said: Filter<ThreadItem>,
): Promise<void> {
  if (await runs().findOne({ _id }, { projection: { _id: 1 } })) return;
  await items().deleteMany(said);
  await eventLog.settled();
  await batches().deleteMany({ runId: _id });
}

/** Removes a message from here that was written when others had ended its run or taken it over: they know of none that no step shows. */
export async function removeLate(
  { runs, items }: RunDeps,
  { _id: runId, fence }: RunDocument,
): Promise<void> {
  const now = await runs().findOne({ _id: runId }, { projection: { fence: 1, active: 1, steps: 1 } });
  if (!now || (now.fence === fence && !isEnded(now))) return;
  const shown = now.steps.flatMap(({ messageId }) => messageId ?? []);
  const late = { runId, fence, kind: 'message', _id: { $nin: shown } } as const;
  // Whoever goes on with the run may go on with a message that is whole.
  await items().deleteMany(isEnded(now) ? late : { ...late, status: 'in_progress' });
}
