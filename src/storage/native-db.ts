import type { Db } from 'mongodb';
import type { Connection } from 'mongoose';

/** The driver's own database handle, for work that mongoose's casting would only slow down. */
export function nativeDb(connection: Connection): Db {
  if (!connection.db) throw new Error('The database connection is not open.');
  return connection.db;
}
