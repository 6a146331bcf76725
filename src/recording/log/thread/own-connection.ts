import { type Db, MongoClient } from 'mongodb';
import { connectionOptions } from '../../../storage/connection-options.ts';

/** A connection that is made with its first use. */
export function ownConnection(uri: string): { database(): Promise<Db>; close(): Promise<void> } {
  let client: MongoClient | null = null;
  let connecting: Promise<MongoClient> | null = null;
  return {
    async database() {
      connecting ??= new MongoClient(uri, connectionOptions).connect();
      try {
        client = await connecting;
      } catch (error) {
        // A client whose first connection failed is of no use any more, so the next try makes another.
        connecting = null;
        throw error;
      }
      return client.db();
    },
    async close() {
      await client?.close();
    },
  };
}
