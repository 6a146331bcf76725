import type { Document } from 'mongodb';
import type { TestContext } from './context.ts';
import { Mismatch } from './problems.ts';
import type { CollectionData } from './suite.ts';
import { canonical } from './values.ts';

/** Puts a collection into the state in which a test begins. */
export async function prepareCollection({ internal }: TestContext, data: CollectionData): Promise<void> {
  const writeConcern = { w: 'majority' } as const;
  const database = internal.db(data.databaseName);
  await database.dropCollection(data.collectionName, { writeConcern });
  if (data.createOptions || data.documents.length === 0) {
    await database.command({ create: data.collectionName, ...data.createOptions, writeConcern });
  }
  if (data.documents.length > 0) {
    await database.collection(data.collectionName).insertMany(data.documents, { writeConcern });
  }
}

/** Asserts that a collection holds exactly the expected documents, types of numbers included. */
export async function checkOutcome({ internal }: TestContext, data: CollectionData): Promise<void> {
  const collection = internal.db(data.databaseName).collection<Document>(data.collectionName);
  const actual = await collection
    .find({}, { sort: { _id: 1 }, readConcern: 'local', readPreference: 'primary', promoteValues: false })
    .toArray();
  if (canonical(actual) === canonical(data.documents)) return;
  const place = `outcome of ${data.databaseName}.${data.collectionName}`;
  throw new Mismatch(`${place}: expected ${canonical(data.documents)}, got ${canonical(actual)}`);
}
