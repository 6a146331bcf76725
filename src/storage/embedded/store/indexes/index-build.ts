import type { Binary } from 'bson';
import { decode } from '../../bson/decode.ts';
import { CommandError } from '../../errors.ts';
import type { Document } from '../../value/types.ts';
import type { Collection } from '../collection.ts';
import type { Store } from '../store.ts';
import { findExisting } from './existing-index.ts';
import { type Index, indexFromSpec } from './index-spec.ts';

/** Entries added per transaction, so that other writes get in between: this many runs of a reader's. */
const runsAtOnce = 4;

/** Sorted entries of an index, as a reader thread hands them over. */
export type EntryRun = { keys: Binary[]; records: number[]; multikey: boolean; lossy: boolean };

/**
 * Builds an index while others write, unless there is such an index. From the first moment every write keeps its
 * entries; meanwhile a reader thread makes those of the documents that were there before, sorted so that neighbours are
 * written together. The index enters the stored catalogue at the end: until then it is listed as trash, so that a
 * process killed midway starts again without it.
 */
export async function buildIndex(
  store: Store,
  collection: Collection,
  spec: Document,
  maxTimeMS = 0,
): Promise<void> {
  const { promise: built, resolve: finish } = Promise.withResolvers<void>();
  const written = new Set<number>();
  const build: { index?: Index } = {};
  try {
    const existing = await store.writes.run(() => {
      if (collection.dropped) throw aborted();
      const found = findExisting(collection, spec);
      if (!found) build.index = register(store, collection, spec, built, written);
      return found;
    });
    if (existing) await awaitIndex(store, collection, existing);
    else if (build.index?.building) await fill(store, collection, build.index, written, maxTimeMS);
  } catch (error) {
    if (build.index) {
      const { id } = build.index;
      collection.indexes = collection.indexes.filter((index) => index.id !== id);
      store.cleaner.wake();
    }
    throw collection.dropped ? aborted() : error;
  } finally {
    collection.watches.delete(written);
    finish();
  }
}

/** Waits for an index that another client asked for first; when that fails, it is this one's turn. */
async function awaitIndex(store: Store, collection: Collection, index: Index): Promise<void> {
  await index.built;
  if (!has(collection, index)) await buildIndex(store, collection, index.spec);
}

const aborted = (): CommandError => new CommandError(276, 'the index build was aborted');

const has = (collection: Collection, { id }: Index): boolean =>
  collection.indexes.some((index) => index.id === id);

function register(
  store: Store,
  collection: Collection,
  spec: Document,
  built: Promise<void>,
  written: Set<number>,
): Index {
  const building = collection.count > 0;
  const index = { ...indexFromSpec(store.catalogue.allocateId(), spec), built, building };
  collection.indexes = [...collection.indexes, index];
  if (building) {
    collection.watches.add(written);
    store.catalogue.addTrash('index', index.id);
  } else {
    store.catalogue.save(collection);
  }
  return index;
}

async function fill(
  store: Store,
  collection: Collection,
  index: Index,
  written: ReadonlySet<number>,
  maxTimeMS: number,
): Promise<void> {
  const command = {
    entries: collection.name,
    id: collection.id,
    spec: index.spec,
    batchSize: runsAtOnce,
    maxTimeMS,
  };
  // As on a MongoDB server, a build goes on when the client that asked for it has gone.
  const client = new AbortController().signal;
  const transaction = (work: () => void): Promise<void> =>
    store.writes.run(() => {
      if (collection.dropped || !has(collection, index)) throw aborted();
      work();
    });
  for await (const runs of store.readers.documents(collection.database, command, client, runsAtOnce)) {
    await transaction(() => {
      for (const run of runs) addRun(store, collection, index, decode(run) as EntryRun, written);
    });
  }
  await transaction(() => {
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
