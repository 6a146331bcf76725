import { editCounters } from '../../limits/engine/index.ts';
import type { Limit } from '../../limits/limit.ts';
import { nativeDb } from '../../storage/native-db.ts';
import type { GraphContext } from '../context.ts';

/**
 * Brings the counters of limits whose amount was edited to the new one. To be called once the limits are saved, and before the
 * change is published, so that a process that follows the edit finds it in the store.
 */
export async function bindEdits(
  { db, log }: Pick<GraphContext, 'db' | 'log'>,
  before: readonly Limit[],
  after: readonly Limit[],
): Promise<void> {
  const former = new Map(before.map((limit) => [limit.id, limit]));
  for (const limit of after) {
    const was = former.get(limit.id);
    if (!was || was.version === limit.version) continue;
    try {
      await editCounters(nativeDb(db), was, limit);
    } catch (error) {
      // The edit is saved and stands: each process brings its counters up once it knows of it.
      log.warn({ error, limit: limit.id }, 'The counters of an edited limit follow when they are read next.');
    }
  }
}
