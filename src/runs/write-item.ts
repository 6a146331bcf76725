import type { DocumentUpdate } from '../storage/together.ts';
import { type RunDeps, RunSuperseded } from './deps.ts';
import type { KeptItem, ThreadItem } from './items.ts';
import type { RunDocument } from './run.ts';

type WrittenItem = ThreadItem | KeptItem;

/** The items with which a turn ends, to be written with what becomes of the run; `tell` follows then. */
export type LastItems = { items: readonly WrittenItem[]; tell: () => void };

/**
 * Writes an item of a run under its own id: a turn that is done again writes it anew. Throws RunSuperseded where a later claim
 * has written it.
 */
export async function writeItem(
  { items }: Pick<RunDeps, 'items'>,
  run: RunDocument,
  item: WrittenItem,
): Promise<void> {
  const { filter, update } = itemUpdate(run, item);
  await items().updateOne(filter, update, { upsert: true }).catch(superseded);
}

/** Writes items as `writeItem` does, with another change behind them; answers whether that met a document. */
export async function writeItemsWith(
  { items, together }: Pick<RunDeps, 'items' | 'together'>,
  run: RunDocument,
  written: readonly WrittenItem[],
  last: DocumentUpdate,
): Promise<boolean> {
  const collection = items().collectionName;
  const first = written.map((item) => ({ collection, ...itemUpdate(run, item), upsert: true }));
  const met = await together.update([...first, last]).catch(superseded);
  return met === first.length + 1;
}

function itemUpdate({ fence }: RunDocument, { _id, createdAt, ...members }: WrittenItem) {
  return {
    filter: { _id, fence: { $lte: fence } },
    update: { $set: { ...members, fence } as object, $setOnInsert: { createdAt } },
  };
}

function superseded(error: unknown): never {
  if ((error as { code?: unknown } | null)?.code === 11000) throw new RunSuperseded();
  throw error;
}
