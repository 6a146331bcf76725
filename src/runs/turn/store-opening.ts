import type { Collection } from 'mongodb';
import type { RunDeps } from '../deps.ts';
import type { KeptItem, MessageItem } from '../items.ts';
import type { RunDocument } from '../run.ts';

/** Stores what came with the run, as far as it is not there. */
export async function storeOpening(
  { items }: Pick<RunDeps, 'items'>,
  { opening = [] }: RunDocument,
): Promise<void> {
  if (opening.length === 0) return;
  const collection = items() as unknown as Collection<MessageItem | KeptItem>;
  await collection.bulkWrite(
    opening.map((item) => ({
      updateOne: { filter: { _id: item._id }, update: { $setOnInsert: item }, upsert: true },
    })),
  );
}
