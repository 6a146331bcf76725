import type { Binary } from 'bson';
import { decode } from '../bson/decode.ts';
import type { Document } from '../value/types.ts';
import type { Collection } from './collection.ts';
import { type Index, indexFromSpec } from './index-spec.ts';
import type { Store } from './store.ts';

/** Entries added per transaction, so that other writes get in between: this many runs of a reader's. */
const runsAtOnce = 4;

/** Sorted entries of an index, as a reader thread hands them over. */
export type EntryRun = { keys: Binary[]; records: number[]; multikey: boolean; lossy: boolean };

/**
 * Builds an index while others write. From the first moment every write keeps its entries; meanwhile a reader thread
 * makes those of the documents that were there before, sorted so that neighbours are written together. The index enters
 * the stored catalogue at the end: until then it is listed as trash, so that a process killed midway starts again
 * without it.
 */
export async function buildIndex(store: Store, collection: Collection, spec: Document): Promise<void> {
  const { promise: built, resolve: finish } = Promise.withResolvers<void>();
  const written = new Set<number>();
  let index: Index | null = null;
  try {
    index = await store.writes.run(() => {
      index = { ...indexFromSpec(store.catalogue.allocateId(), spec), built, building: collection.count > 0 };
      collection.indexes = [...collection.indexes, index];
      collection.watches.add(written);
      if (index.building) store.catalogue.addTrash('index', index.id);
      else store.catalogue.save(collection);
      return index;
    });
    if (index.building) await fill(store, collection, index, written);
  } catch (error) {
    const failed = index?.id;
    collection.indexes = collection.indexes.filter(({ id }) => id !== failed);
    store.cleaner.wake();
    throw error;
  } finally {
    collection.watches.delete(written);
    finish();
  }
}

async function fill(
  store: Store,
  collection: Collection,
  index: Index,
  written: ReadonlySet<number>,
): Promise<void> {
  const command = { entries: collection.name, spec: index.spec };
  // As on a MongoDB server, a build goes on when the client that asked for it has gone.
  const client = new AbortController().signal;
  for await (const runs of store.readers.documents(collection.database, command, client, runsAtOnce)) {
    await store.writes.run(() => {
      for (const run of runs) addRun(store, collection, index, decode(run) as EntryRun, written);
    });
  }
  await store.writes.run(() => {
    index.building = false;
    store.catalogue.removeTrash({ kind: 'index', id: index.id });
    store.catalogue.save(collection);
  });
}

/** Adds entries, but for documents written since the build began: those have the entries they need. */
function addRun(
  store: Store,
  collection: Collection,
  index: Index,
  { keys, records, multikey, lossy }: EntryRun,
  written: ReadonlySet<number>,
): void {
  for (const [i, key] of keys.entries()) {
    const record = records[i] as number;
    const bytes = key.buffer.subarray(0, key.position) as Buffer;
    if (!written.has(record)) {
      store.documents.addEntry(collection, index, { keys: [bytes], multikey, lossy }, record);
    }
  }
}
