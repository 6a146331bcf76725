import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';

export type TestDatabase = {
  /** Empty when no MONGODB_URI is given, which means the embedded store. */
  uri: string;
  drop(): Promise<void>;
};

/** A database of its own on the server of MONGODB_URI, so that the suite runs unchanged on any MongoDB. */
export function testDatabase(): TestDatabase {
  const server = process.env.MONGODB_URI;
  if (!server) return { uri: '', drop: async () => undefined };
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
