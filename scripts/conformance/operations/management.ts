import type { ClientSession, Document, IndexSpecification } from 'mongodb';
import type { Operations } from './table.ts';

const namesOf = (documents: { name: string }[]) => documents.map(({ name }) => name);

export const collectionManagement: Operations<'collection'> = {
  createIndex: async (collection, args) =>
    await collection.createIndex(args.take<IndexSpecification>('keys'), args.options()),
  dropIndex: async (collection, args) =>
    await collection.dropIndex(args.take<string>('name'), args.options()),
  dropIndexes: async (collection, args) => await collection.dropIndexes(args.options()),
  listIndexes: async (collection, args) => await collection.listIndexes(args.options()).toArray(),
  listIndexNames: async (collection, args) => namesOf(await collection.listIndexes(args.options()).toArray()),
  rename: async (collection, args) => {
    await collection.rename(args.take<string>('to'), args.options());
  },
  createSearchIndex: async (collection, args) =>
    await collection.createSearchIndex(args.take<{ definition: Document }>('model')),
  createSearchIndexes: async (collection, args) =>
    await collection.createSearchIndexes(args.take<{ definition: Document }[]>('models')),
  dropSearchIndex: async (collection, args) => await collection.dropSearchIndex(args.take<string>('name')),
  updateSearchIndex: async (collection, args) =>
    await collection.updateSearchIndex(args.take<string>('name'), args.take<Document>('definition')),
  listSearchIndexes: async (collection, args) => {
    const name = args.take('name', '');
    const options = args.take('aggregationOptions', {});
    return await (name
      ? collection.listSearchIndexes(name, options)
      : collection.listSearchIndexes(options)
    ).toArray();
  },
};

export const databaseManagement: Operations<'database'> = {
  createCollection: async (database, args) => {
    await database.createCollection(args.take<string>('collection'), args.options());
  },
  dropCollection: async (database, args) =>
    await database.dropCollection(args.take<string>('collection'), args.options()),
  listCollections: async (database, args) =>
    await database.listCollections(args.take('filter', {}), args.options()).toArray(),
  listCollectionNames: async (database, args) =>
    namesOf(
      await database
        .listCollections(args.take('filter', {}), { ...args.options(), nameOnly: true })
        .toArray(),
    ),
  modifyCollection: async (database, args) => {
    const collMod = args.take<string>('collection');
    const { session, ...fields } = args.fields();
    return await database.command(
      { collMod, ...fields },
      session ? { session: session as ClientSession } : {},
    );
  },
};

export const clientManagement: Operations<'client'> = {
  listDatabases: async ({ client }, args) =>
    (await client.db('admin').admin().listDatabases(args.options())).databases,
  listDatabaseNames: async ({ client }, args) =>
    namesOf(
      (
        await client
          .db('admin')
          .admin()
          .listDatabases({ ...args.options(), nameOnly: true })
      ).databases,
    ),
};
