import { encode } from '../bson/encode.ts';
import { CommandError, notImplemented, typeMismatch } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import { backup } from '../store/backup.ts';
import type { Collection } from '../store/collection.ts';
import { validationFields, validationOptions } from '../store/validator.ts';
import { equalValues } from '../value/compare.ts';
import { type Document, isDocument } from '../value/types.ts';
import {
  type Command,
  collectionName,
  countField,
  documentField,
  flagField,
  type Request,
} from './command.ts';
import { openCursor } from './find.ts';

function listDatabases({ store, body }: Request): Document {
  const names = [...new Set(store.catalogue.list().map(({ database }) => database))].sort();
  const { test } = compileFilter(documentField(body, 'filter') ?? {});
  const all = names.map((name) => ({ name, sizeOnDisk: store.database.size, empty: false }));
  const databases = all.filter(test);
  if (flagField(body, 'nameOnly')) return { databases: databases.map(({ name }) => ({ name })), ok: 1 };
  return {
    databases,
    totalSize: store.database.size,
    totalSizeMb: Math.round(store.database.size / 1048576),
    ok: 1,
  };
}

function describe(collection: Collection): Document {
  const { name, options, uuid } = collection;
  const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };
  return { name, type: 'collection', options, info: { readOnly: false, uuid }, idIndex };
}

async function listCollections(request: Request): Promise<Buffer> {
  const { store, database, body } = request;
  const { test } = compileFilter(documentField(body, 'filter') ?? {});
  const cursor = isDocument(body.cursor) ? body.cursor : {};
  const nameOnly = flagField(body, 'nameOnly');
  const found = store.catalogue.list(database).map(describe).filter(test);
  const documents = found.map((document) =>
    encode(nameOnly ? { name: document.name, type: document.type } : document),
  );
  async function* source(): AsyncGenerator<Buffer[]> {
    yield documents;
  }
  return openCursor(
    request,
    `${database}.$cmd.listCollections`,
    source(),
    countField(cursor, 'batchSize'),
    false,
  );
}

/** Options of create that a server knows and that change nothing when they have these values. */
const harmless: Record<string, unknown> = { capped: false, autoIndexId: true };
/** Options that a server knows and this one does not support. */
const unsupported = [
  'capped',
  'autoIndexId',
  'changeStreamPreAndPostImages',
  'clusteredIndex',
  'collation',
  'encryptedFields',
  'expireAfterSeconds',
  'idIndex',
  'indexOptionDefaults',
  'max',
  'pipeline',
  'size',
  'storageEngine',
  'timeseries',
  'viewOn',
];

async function create(request: Request): Promise<Document> {
  const { store, database, body } = request;
  const name = collectionName(request);
  for (const option of unsupported) {
    if (body[option] === undefined || body[option] === harmless[option]) continue;
    throw notImplemented(`the create option '${option}' is not supported`);
  }
  const options = validationOptions(body, {});
  await store.writes.run(() => {
    const existing = store.catalogue.find(database, name);
    if (!existing) store.catalogue.create(database, name, options);
    else if (!equalValues(existing.options, options)) {
      throw new CommandError(48, `namespace ${database}.${name} already exists, but with different options`);
    }
  });
  return { ok: 1 };
}

async function drop(request: Request): Promise<Document> {
  const { store, database } = request;
  const name = collectionName(request);
  const collection = await store.writes.run(() => {
    const found = store.catalogue.find(database, name);
    if (found) store.catalogue.drop(found);
    return found;
  });
  // Since 7.0 dropping what is not there succeeds.
  if (!collection) return { ok: 1 };
  store.cleaner.wake();
  return { ns: collection.namespace, nIndexesWas: collection.indexes.length, ok: 1 };
}

async function dropDatabase({ store, database }: Request): Promise<Document> {
  await store.writes.run(() => {
    for (const collection of store.catalogue.list(database)) store.catalogue.drop(collection);
  });
  store.cleaner.wake();
  return { dropped: database, ok: 1 };
}

async function renameCollection({ store, body }: Request): Promise<Document> {
  const [from, to] = [body.renameCollection, body.to].map((namespace) => {
    const [database = '', ...rest] = String(namespace).split('.');
    return { database, name: rest.join('.') };
  }) as [{ database: string; name: string }, { database: string; name: string }];
  await store.writes.run(() => {
    const source = store.require(from.database, from.name);
    const target = store.catalogue.find(to.database, to.name);
    if (target && !flagField(body, 'dropTarget')) throw new CommandError(48, 'target namespace exists');
    if (target) store.catalogue.drop(target);
    store.catalogue.rename(source, to.database, to.name);
  });
  store.cleaner.wake();
  return { ok: 1 };
}

function collStats(request: Request): Document {
  const { store, database } = request;
  const name = collectionName(request);
  const collection = store.catalogue.find(database, name);
  const size = collection ? store.documents.size(collection) : 0;
  const count = collection?.count ?? 0;
  return {
    ns: `${database}.${name}`,
    size,
    count,
    avgObjSize: count > 0 ? Math.round(size / count) : 0,
    storageSize: size,
    capped: false,
    nindexes: collection?.indexes.length ?? 0,
    totalIndexSize: 0,
    totalSize: size,
    indexSizes: Object.fromEntries(collection?.indexes.map((index) => [index.name, 0]) ?? []),
    scaleFactor: 1,
    ok: 1,
  };
}

function dbStats({ store, database }: Request): Document {
  const collections = store.catalogue.list(database);
  const objects = collections.reduce((sum, { count }) => sum + count, 0);
  const indexes = collections.reduce((sum, collection) => sum + collection.indexes.length, 0);
  const size = store.database.size;
  return {
    db: database,
    collections: collections.length,
    views: 0,
    objects,
    indexes,
    dataSize: size,
    storageSize: size,
    totalSize: size,
    ok: 1,
  };
}

/** A command of this server's own: `{ backup: '/absolute/path' }` on admin. */
async function backupStore({ store, database, body }: Request): Promise<Document> {
  if (database !== 'admin') throw new CommandError(13, 'backup may only be run against the admin database.');
  if (typeof body.backup !== 'string') throw typeMismatch("BSON field 'backup' must be a string");
  return { ...(await backup(store.path, body.backup)), ok: 1 };
}

function explain(): never {
  throw notImplemented('explain is not supported');
}

export const adminCommands: Record<string, Command> = {
  explain: { fields: null, run: explain },
  listDatabases: { fields: ['filter', 'nameOnly', 'authorizedDatabases'], run: listDatabases },
  listCollections: {
    fields: ['filter', 'cursor', 'nameOnly', 'authorizedCollections'],
    run: listCollections,
  },
  create: { fields: [...unsupported, ...validationFields], run: create },
  drop: { fields: [], run: drop },
  dropDatabase: { fields: [], run: dropDatabase },
  renameCollection: { fields: ['to', 'dropTarget'], run: renameCollection },
  backup: { fields: [], run: backupStore },
  collStats: { fields: [], run: collStats },
  dbStats: { fields: [], run: dbStats },
};
