import { type Collection, MongoClient } from 'mongodb';
import { idOf, type LogDocument } from './documents.ts';
import type { MemoryWatch } from './memory.ts';
import type { Report } from './report.ts';
import type { ServerProcess } from './server.ts';

export const smallSize = 100_000;
export const smallName = 'small';
export const largeName = 'large';

/** What every group of measurements works with. */
export type Context = {
  /** Where the store lives. */
  directory: string;
  server: ServerProcess;
  client: MongoClient;
  report: Report;
  memory: MemoryWatch;
  /** Documents in the large collection: a million, or fewer while developing. */
  largeSize: number;
  /** How long each repeated call is measured. */
  seconds: number;
};

/** A client with as many connections as it has calls to make. */
export function connect(uri: string): MongoClient {
  return new MongoClient(uri, { maxPoolSize: 100, serverSelectionTimeoutMS: 5000 });
}

/** The collection that most is measured on. */
export function large({ client }: Context): Collection<LogDocument> {
  return client.db().collection<LogDocument>(largeName);
}

/** The collection of 100,000 documents. */
export function small({ client }: Context): Collection<LogDocument> {
  return client.db().collection<LogDocument>(smallName);
}

/** Reads one random document of the large collection. */
export async function readOne(context: Context): Promise<void> {
  const found = await large(context).findOne({ _id: randomId(context) });
  if (!found) throw new Error('A stored document was not found.');
}

/** Counts up in one random document of the large collection. */
export async function incrementOne(context: Context, _id = randomId(context)): Promise<void> {
  const { matchedCount } = await large(context).updateOne({ _id }, { $inc: { totalTokens: 1 } });
  if (matchedCount !== 1) throw new Error('A stored document was not found.');
}

function randomId({ largeSize }: Context) {
  return idOf(Math.floor(Math.random() * largeSize));
}
