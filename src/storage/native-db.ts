import type { Collection, Db, Document } from 'mongodb';
import type { Connection } from 'mongoose';

/** The driver's own database handle, for work that mongoose's casting would only slow down. */
export function nativeDb(connection: Connection): Db {
  if (!connection.db) throw new Error('The database connection is not open.');
  return connection.db;
}

const known = new WeakMap<Db, Map<string, Collection>>();

/** The driver's own handle of a collection, made once: making one takes as long as a good part of a small command. */
export function nativeCollection<T extends Document>(connection: Connection, name: string): Collection<T> {
  const db = nativeDb(connection);
  const collections = known.get(db) ?? new Map<string, Collection>();
  const collection = collections.get(name) ?? db.collection(name);
  known.set(db, collections.set(name, collection));
  return collection as unknown as Collection<T>;
}
