import type { Binary } from 'bson';
import { decode } from '../bson/decode.ts';
import { CommandError } from '../errors.ts';
import { equalValues } from '../value/compare.ts';
import type { Document } from '../value/types.ts';
import type { Collection } from './collection.ts';
import { type IndexKeys, indexKeys } from './index-keys.ts';
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
  const { promise: built, resolve: finish, reject: fail } = Promise.withResolvers<void>();
  // Those who wait for the same index hear of a failure as well; there may be none.
  built.catch(() => {});
  const written = new Set<number>();
  let index: Index | null = null;
  try {
    const existing = await store.writes.run(() => {
      const other = findEqual(collection, spec);
      if (other) return other;
      index = { ...indexFromSpec(store.catalogue.allocateId(), spec), built, building: collection.count > 0 };
      collection.indexes = [...collection.indexes, index];
      collection.watches.add(written);
      if (index.building) store.catalogue.addTrash('index', index.id);
      else store.catalogue.save(collection);
      return null;
    });
    if (existing) await existing.built;
    else if (index) await fill(store, collection, index, written);
    finish();
  } catch (error) {
    const failed = index as Index | null;
    collection.indexes = collection.indexes.filter((other) => other !== failed);
    store.cleaner.wake();
    const reason = failed && collection.dropped ? abandoned(failed) : error;
    fail(reason);
    throw reason;
  } finally {
    collection.watches.delete(written);
  }
}

/** The same index, when someone else has asked for it in the same moment. */
function findEqual(collection: Collection, spec: Document): Index | undefined {
  const other = collection.indexes.find(({ name }) => name === spec.name);
  if (!other || equalValues(other.spec, spec)) return other;
  throw new CommandError(
    86,
    `An existing index has the same name as the requested index but another definition: ${other.name}`,
  );
}

async function fill(
  store: Store,
  collection: Collection,
  index: Index,
  written: ReadonlySet<number>,
): Promise<void> {
  if (!index.building) return;
  const command = { entries: collection.name, spec: index.spec };
  // As on a MongoDB server, a build goes on when the client that asked for it has gone.
  const client = new AbortController().signal;
  for await (const runs of store.readers.documents(collection.database, command, client, runsAtOnce)) {
    await store.writes.run(() => {
      checkWanted(collection, index);
      for (const run of runs) addRun(store, collection, index, decode(run) as EntryRun, written);
    });
  }
  await store.writes.run(() => {
    checkWanted(collection, index);
    index.building = false;
    store.catalogue.removeTrash({ kind: 'index', id: index.id });
    store.catalogue.save(collection);
  });
}

/** Ends a build whose collection or index was dropped: what it would add now, nobody would clear away. */
function checkWanted(collection: Collection, index: Index): void {
  if (!collection.dropped && collection.indexes.includes(index)) return;
  throw abandoned(index);
}

const abandoned = (index: Index): CommandError =>
  new CommandError(276, `the build of index ${index.name} was ended because it was dropped`);

/** Adds the entries that a reader made; those of documents written since the build began are made anew. */
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
    const made = written.has(record)
      ? currentKeys(store, collection, index, record)
      : { keys: [bytes], multikey, lossy };
    if (made) store.documents.addEntry(collection, index, made, record);
  }
}

/**
 * A write only adds the entries that the version before did not have, so that those of a document which has been
 * written and not yet been indexed may be missing; null when it has gone.
 */
function currentKeys(store: Store, collection: Collection, index: Index, record: number): IndexKeys | null {
  const body = store.documents.read(collection, record);
  return body && indexKeys(index, decode(body));
}
