import type { RunDeps } from './deps.ts';
import { RunSuperseded } from './deps.ts';
import type { KeptItem, ThreadItem } from './items.ts';
import type { RunDocument } from './run.ts';

/**
 * Writes an item of a run under its own id: a turn that is done again writes it anew. Throws RunSuperseded where a later claim
 * has written it.
 */
export async function writeItem(
  { items }: RunDeps,
  { fence }: RunDocument,
  item: ThreadItem | KeptItem,
): Promise<void> {
  const { _id, createdAt, ...members } = item;
  try {
    await items().updateOne(
      { _id, fence: { $lte: fence } },
      { $set: { ...members, fence } as object, $setOnInsert: { createdAt } },
      { upsert: true },
    );
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === 11000) throw new RunSuperseded();
    throw error;
  }
}
