import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import mongoose, { type Connection } from 'mongoose';
import { connectionOptions } from './connection-options.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { startEmbedded } from './embedded/index.ts';
import { refuseEmptiedStore } from './installation.ts';

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
  await prepareDataDirectory(options.dataDirectory);
  if (!options.mongodbUri) await refuseEmptiedStore(options.dataDirectory);
  const embedded = options.mongodbUri
    ? null
    : await startEmbedded({ directory: join(options.dataDirectory, 'store'), databaseName: 'sluice' });
  const uri = options.mongodbUri ?? embedded?.uri ?? '';
  const db = await connect(uri).catch(async (cause: unknown) => {
    await embedded?.stop();
    if (embedded) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`MONGODB_URI leads to no database that can be used (${reason}).`, { cause });
  });
  return {
    db,
    uri,
    description: embedded
      ? `embedded store in ${join(options.dataDirectory, 'store')}`
      : 'MongoDB at MONGODB_URI',
    async stop() {
      // What is only closed stays in Mongoose's list, with all its models.
      await db.destroy();
      await embedded?.stop();
    },
  };
}

async function connect(uri: string): Promise<Connection> {
  const db = mongoose.createConnection();
  try {
    return await db.openUri(uri, {
      ...connectionOptions,
      bufferCommands: false,
      autoIndex: false,
      autoCreate: false,
    });
  } catch (error) {
    await db.destroy(true);
    throw error;
  }
}

/** Runs `work` on a connection without a time limit: building an index over millions of documents takes long. */
export async function withPatientConnection(uri: string, work: (db: Db) => Promise<void>): Promise<void> {
  const client = await new MongoClient(uri).connect();
  try {
    await work(client.db());
  } finally {
    await client.close();
  }
}
