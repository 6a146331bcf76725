import type { AnyBulkWriteOperation, AnyClientBulkWriteModel, Document, Filter } from 'mongodb';
import { isDocument, plain } from '../values.ts';
import type { Operations } from './table.ts';

type Update = Document | Document[];
const everything: Filter<Document> = {};

/** The driver names the outcome `upsertedId: null`; the format knows such a field only where something was upserted. */
function withoutEmptyUpsert<T extends { upsertedCount: number }>(result: T): Partial<T> {
  if (result.upsertedCount > 0) return result;
  return { ...result, upsertedId: undefined };
}

/** The models of the driver's bulk write, which carry their kind and the flags of a JSON object as plain values. */
function clientModel(model: Document): AnyClientBulkWriteModel<Document> {
  const [[name, fields] = ['', {}]] = Object.entries(model);
  return { name, ...(fields as Document) } as AnyClientBulkWriteModel<Document>;
}

/** The driver's `didUpsert` is its own addition to the results that the format lists. */
function withoutDriverFields(results: ReadonlyMap<number, object> | undefined): Document | undefined {
  if (!results) return undefined;
  return new Map([...results].map(([index, result]) => [index, { ...result, didUpsert: undefined }]));
}

/** Client bulk writes, also the part of their result that an error carries, as the format has them. */
export function clientBulkResult(result: unknown): unknown {
  if (!isDocument(result) || !(result.updateResults instanceof Map)) return result;
  return { ...result, updateResults: withoutDriverFields(result.updateResults) };
}

export const collectionCrud: Operations<'collection'> = {
  aggregate: async (collection, args) =>
    await collection.aggregate(args.take<Document[]>('pipeline'), args.options()).toArray(),
  bulkWrite: async (collection, args) =>
    await collection.bulkWrite(args.take<AnyBulkWriteOperation[]>('requests'), args.options()),
  count: async (collection, args) => await collection.count(args.take('filter', everything), args.options()),
  countDocuments: async (collection, args) =>
    await collection.countDocuments(args.take('filter', everything), args.options()),
  deleteMany: async (collection, args) => await collection.deleteMany(args.take('filter'), args.options()),
  deleteOne: async (collection, args) => await collection.deleteOne(args.take('filter'), args.options()),
  distinct: async (collection, args) =>
    await collection.distinct(
      args.take<string>('fieldName'),
      args.take('filter', everything),
      args.options(),
    ),
  estimatedDocumentCount: async (collection, args) => await collection.estimatedDocumentCount(args.options()),
  find: async (collection, args) =>
    await collection.find(args.take('filter', everything), args.options()).toArray(),
  findOne: async (collection, args) =>
    await collection.findOne(args.take('filter', everything), args.options()),
  findOneAndDelete: async (collection, args) =>
    await collection.findOneAndDelete(args.take('filter'), args.options()),
  findOneAndReplace: async (collection, args) =>
    await collection.findOneAndReplace(
      args.take('filter'),
      args.take<Document>('replacement'),
      args.options(),
    ),
  findOneAndUpdate: async (collection, args) =>
    await collection.findOneAndUpdate(args.take('filter'), args.take<Update>('update'), args.options()),
  insertMany: async (collection, args) =>
    await collection.insertMany(args.take<Document[]>('documents'), args.options()),
  insertOne: async (collection, args) =>
    await collection.insertOne(args.take<Document>('document'), args.options()),
  replaceOne: async (collection, args) =>
    withoutEmptyUpsert(
      await collection.replaceOne(args.take('filter'), args.take<Document>('replacement'), args.options()),
    ),
  updateMany: async (collection, args) =>
    withoutEmptyUpsert(
      await collection.updateMany(args.take('filter'), args.take<Update>('update'), args.options()),
    ),
  updateOne: async (collection, args) =>
    withoutEmptyUpsert(
      await collection.updateOne(args.take('filter'), args.take<Update>('update'), args.options()),
    ),
};

export const databaseCrud: Operations<'database'> = {
  aggregate: async (database, args) =>
    await database.aggregate(args.take<Document[]>('pipeline'), args.options()).toArray(),
};

export const clientCrud: Operations<'client'> = {
  clientBulkWrite: async ({ client }, args) => {
    const models = args.take<Document[]>('models').map(clientModel);
    return clientBulkResult(await client.bulkWrite(models, plain(args.options()) as object));
  },
};
