import { UUID } from 'bson';
import { decode } from '../bson/decode.ts';
import { asBuffer } from '../bson/raw.ts';
import type { Document } from '../value/types.ts';
import { type Index, indexFromSpec } from './indexes/index-spec.ts';
import { compileValidator, type Validator } from './validator.ts';

/** A collection with everything that a command needs to know about it. */
export type Collection = {
  id: number;
  database: string;
  name: string;
  namespace: string;
  uuid: UUID;
  options: Document;
  /** The check of new documents that the options ask for; null when they ask for none. */
  validator: Validator | null;
  indexes: Index[];
  count: number;
  /** The number of the next record; only the writer's thread uses it. */
  nextRecord: number;
  dropped: boolean;
  /** Sets that collect the records written from now on; see `ChangeWatch`. */
  watches: Set<Set<number>>;
};

/** What the catalogue table keeps of a collection. */
type StoredCollection = {
  database: string;
  name: string;
  uuid: string;
  options: Document;
  indexes: { id: number; spec: Document; multikey: boolean; lossy: boolean }[];
};

/** The form in which a collection is stored; indexes still being built are left out, so that a crash forgets them. */
export function describeCollection(collection: Collection): StoredCollection {
  const { database, name, uuid, options, indexes } = collection;
  const finished = indexes.filter((index) => !index.building);
  return {
    database,
    name,
    uuid: uuid.toHexString(),
    options,
    indexes: finished.map(({ id, spec, multikey, lossy }) => ({ id, spec, multikey, lossy })),
  };
}

/** A new, empty collection. */
export function emptyCollection(id: number, database: string, name: string, options: Document): Collection {
  return {
    id,
    database,
    name,
    namespace: `${database}.${name}`,
    uuid: new UUID(),
    options,
    validator: compileValidator(options),
    indexes: [],
    count: 0,
    nextRecord: 1,
    dropped: false,
    watches: new Set(),
  };
}

/** Reads a collection back from its row in the catalogue. */
export function readCollection(id: number, row: Uint8Array, count: number): Collection {
  const stored = decode(asBuffer(row)) as StoredCollection;
  const empty = emptyCollection(id, stored.database, stored.name, stored.options);
  const indexes = stored.indexes.map(({ id: index, spec, multikey, lossy }) =>
    Object.assign(indexFromSpec(Number(index), spec), { multikey, lossy }),
  );
  return { ...empty, uuid: new UUID(stored.uuid), indexes, count };
}
