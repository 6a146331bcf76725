import { CommandError, notImplemented, typeMismatch } from '../errors.ts';
import { compileFilter, type Predicate } from '../query/filter.ts';
import type { Collection } from '../store/collection.ts';
import { backup } from '../store/file/backup.ts';
import { validationFields, validationOptions } from '../store/validator.ts';
import { equalValues } from '../value/compare.ts';
import type { Document } from '../value/types.ts';
import {
  type Command,
  collectionName,
  commandFields,
  documentField,
  flagField,
  namespaceOf,
  type Request,
} from './command.ts';
import { sendList } from './cursor.ts';

const listFilter = (body: Document): Predicate => compileFilter(documentField(body, 'filter') ?? {}).test;

function listDatabases({ store, body }: Request): Document {
  const totalSize = store.database.size;
  const names = [...new Set(store.catalogue.list().map(({ database }) => database))].sort();
  const all = names.map((name) => ({ name, sizeOnDisk: totalSize, empty: false }));
  const databases = all.filter(listFilter(body));
  if (flagField(body, 'nameOnly')) return { databases: databases.map(({ name }) => ({ name })), ok: 1 };
  return { databases, totalSize, totalSizeMb: Math.round(totalSize / 1048576), ok: 1 };
}

function describe({ name, options, uuid }: Collection): Document {
  const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };
  return { name, type: 'collection', options, info: { readOnly: false, uuid }, idIndex };
}

function listCollections(request: Request): Promise<Buffer> {
  const { store, database, body } = request;
  const found = store.catalogue.list(database).map(describe).filter(listFilter(body));
  const documents = flagField(body, 'nameOnly') ? found.map(({ name, type }) => ({ name, type })) : found;
  return sendList(request, `${database}.$cmd.listCollections`, documents);
}

/** Options of create that a server knows and that change nothing when they have these values. */
const harmless: Record<string, unknown> = { capped: false, autoIndexId: true };
/** Options that a server knows and this one does not support. */
const unsupported =
  'capped autoIndexId changeStreamPreAndPostImages clusteredIndex collation encryptedFields expireAfterSeconds idIndex indexOptionDefaults max pipeline size storageEngine timeseries viewOn';

async function create(request: Request): Promise<Document> {
  const { store, database, body } = request;
  const name = collectionName(request);
  for (const option of unsupported.split(' ')) {
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
  const from = namespaceOf(body.renameCollection);
  const to = namespaceOf(body.to);
  if (body.renameCollection === body.to) throw new CommandError(20, "Can't rename a collection to itself");
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

function dbStats({ store, database }: Request): Document {
  const list = store.catalogue.list(database);
  const total = (numberOf: (collection: Collection) => number): number =>
    list.reduce((sum, collection) => sum + numberOf(collection), 0);
  const { size } = store.database;
  return {
    db: database,
    collections: list.length,
    views: 0,
    objects: total(({ count }) => count),
    indexes: total(({ indexes }) => indexes.length),
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

const refused: Command = {
  fields: null,
  run({ name }) {
    throw notImplemented(`${name} is not supported`);
  },
};

export const adminCommands: Record<string, Command> = {
  explain: refused,
  collStats: refused,
  listDatabases: {
    fields: commandFields('listDatabases', 'filter:object nameOnly:flag authorizedDatabases:flag'),
    run: listDatabases,
  },
  listCollections: {
    fields: commandFields(
      'listCollections',
      'filter:object cursor:object nameOnly:flag authorizedCollections:flag',
    ),
    run: listCollections,
  },
  create: { fields: commandFields('create', `${unsupported} ${validationFields}`), run: create },
  drop: { fields: commandFields('drop'), run: drop },
  dropDatabase: { fields: commandFields('dropDatabase'), run: dropDatabase },
  renameCollection: {
    fields: commandFields('renameCollection', 'to:string! dropTarget:flag'),
    run: renameCollection,
  },
  backup: { fields: commandFields('backup'), run: backupStore },
  dbStats: { fields: commandFields('dbStats'), run: dbStats },
};
