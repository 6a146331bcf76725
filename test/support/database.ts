import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { storeOfWorker } from './worker/store.ts';

export type TestDatabase = {
  /** Empty when no MONGODB_URI is given, which means the embedded store. */
  uri: string;
  drop(): Promise<void>;
};

/** A database of its own on the server of MONGODB_URI, so that the suite runs unchanged on any MongoDB. */
export function testDatabase(): TestDatabase {
  const server = process.env.MONGODB_URI;
  return server ? databaseOn(server) : { uri: '', drop: async () => undefined };
}

/** A database of its own on the server of MONGODB_URI or, without one, in the embedded store that the worker's test files share. */
export const sharedDatabase = async (): Promise<TestDatabase> =>
  databaseOn(process.env.MONGODB_URI || (await storeOfWorker()));

function databaseOn(server: string): TestDatabase {
  const uri = databaseUri(server, `sluice_test_${randomBytes(6).toString('hex')}`);
  return {
    uri,
    async drop() {
      const client = new MongoClient(uri);
      try {
        await client.db().dropDatabase();
      } finally {
        await client.close();
      }
    },
  };
}

/** The connection string `uri`, of one host or several, for the database `name`. */
export function databaseUri(uri: string, name: string): string {
  const [, server = '', options = ''] = /^([^:]+:\/\/[^/?]+)(?:\/[^?]*)?\??(.*)$/.exec(uri) ?? [];
  const { credentials } = new MongoClient(uri).options;
  // The user stays where it is: without this it would be looked for in the new database.
  const source = credentials && !/(^|&)authSource=/i.test(options) ? `authSource=${credentials.source}` : '';
  const query = [options, source].filter((text) => text !== '').join('&');
  return `${server}/${name}${query && `?${query}`}`;
}
