import type { Document, MongoClient } from 'mongodb';
import type { EntityMap } from './entity-map.ts';

/** What one test works with. */
export type TestContext = {
  uri: string;
  /** The runner's own client, which no test observes. */
  internal: MongoClient;
  entities: EntityMap;
  /** Commands that take back what `failPoint` did. */
  failPoints: { client: MongoClient; command: Document }[];
};
