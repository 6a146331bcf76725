import { decode } from '../bson/decode.ts';
import type { Pace } from '../pace.ts';
import type { Collection } from './collection.ts';
import { asBuffer, tableOf } from './database.ts';
import { indexedFields } from './documents.ts';
import { type Index, indexFromSpec } from './index-spec.ts';
import type { Store } from './store.ts';

/** Documents indexed per transaction, so that other writes get in between. */
const batchSize = 500;

/**
 * Builds an index while others write. From the first moment every write keeps its entries; meanwhile the documents
 * that were there before are added batch by batch. The index enters the stored catalogue with the last batch: until
 * then it is listed as trash, so that a process killed midway starts again without it.
 */
export async function buildIndex(
  store: Store,
  collection: Collection,
  spec: Record<string, unknown>,
  pace: Pace,
): Promise<void> {
  let finish: () => void = () => {};
  const built = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let index: Index | null = null;
  try {
    index = await store.writes.run(() => {
      index = { ...indexFromSpec(store.catalogue.allocateId(), spec), built, building: collection.count > 0 };
      collection.indexes = [...collection.indexes, index];
      if (index.building) store.catalogue.addTrash('index', index.id);
      else store.catalogue.save(collection);
      return index;
    });
    if (index.building) await fill(store, collection, index, pace);
  } catch (error) {
    const failed = index?.id;
    collection.indexes = collection.indexes.filter(({ id }) => id !== failed);
    store.cleaner.wake();
    throw error;
  } finally {
    finish();
  }
}

async function fill(store: Store, collection: Collection, index: Index, pace: Pace): Promise<void> {
  for (let last: number | null = -1; last !== null; ) {
    const from: number = last;
    last = await store.writes.run(() => addBatch(store, collection, index, from));
    if (pace.tired) await pace.rest();
  }
}

/** Adds the next documents; after the last one the index becomes part of the catalogue. */
function addBatch(store: Store, collection: Collection, index: Index, last: number): number | null {
  const sql = `SELECT record, body FROM ${tableOf(collection)} WHERE record > ? ORDER BY record LIMIT ?`;
  const rows = store.database.all<[number, Uint8Array]>(sql, last, batchSize);
  const fields = indexedFields([index]);
  for (const [record, body] of rows) {
    store.documents.addToIndex(collection, index, record, decode(asBuffer(body), fields));
  }
  if (rows.length === batchSize) return (rows.at(-1) as [number, Uint8Array])[0];
  index.building = false;
  store.catalogue.removeTrash({ kind: 'index', id: index.id });
  store.catalogue.save(collection);
  return null;
}
