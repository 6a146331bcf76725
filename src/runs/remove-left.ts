import type { Filter } from 'mongodb';
import type { RunDeps } from './deps.ts';
import type { ThreadItem } from './items.ts';
import type { RunDocument } from './run.ts';

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
