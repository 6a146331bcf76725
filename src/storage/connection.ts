import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose, { type Connection } from 'mongoose';
import { connectionLimits } from './connection-limits.ts';
import { startEmbedded } from './embedded/index.ts';

export type Storage = {
  db: Connection;
  /** Connection string of the same database, for connections of other threads. */
  uri: string;
  description: string;
  stop(): Promise<void>;
};

/** Connects to `mongodbUri`, or starts the embedded server in the data directory and connects to that. */
export async function openStorage(options: {
  dataDirectory: string;
  mongodbUri: string | null;
}): Promise<Storage> {
  await mkdir(options.dataDirectory, { recursive: true, mode: 0o700 });
  const embedded = options.mongodbUri
    ? null
    : await startEmbedded({ directory: join(options.dataDirectory, 'store'), databaseName: 'sluice' });
  const uri = options.mongodbUri ?? embedded?.uri ?? '';
  const db = mongoose.createConnection(uri, {
    ...connectionLimits,
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
  });
  try {
    await db.asPromise();
  } catch (error) {
    await db.close(true);
    await embedded?.stop();
    throw error;
  }
  return {
    db,
    uri,
    description: embedded
      ? `embedded store in ${join(options.dataDirectory, 'store')}`
      : 'MongoDB at MONGODB_URI',
    async stop() {
      await db.close();
      await embedded?.stop();
    },
  };
}

/** Runs `work` on a connection that waits as long as it takes: an index over millions of documents is built once. */
export async function withPatientConnection(
  uri: string,
  work: (db: Connection) => Promise<void>,
): Promise<void> {
  const db = await mongoose.createConnection(uri, { autoIndex: false, autoCreate: false }).asPromise();
  try {
    await work(db);
  } finally {
    await db.close();
  }
}
