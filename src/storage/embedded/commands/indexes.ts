import { badValue, CommandError } from '../errors.ts';
import type { Collection } from '../store/collection.ts';
import { buildIndex } from '../store/indexes/index-build.ts';
import { type Index, normaliseSpec, ttlFault } from '../store/indexes/index-spec.ts';
import { isNamed } from '../store/indexes/same-key.ts';
import { compileValidator, validationFields, validationOptions } from '../store/validator.ts';
import { asNumber, type Document, expectDocument } from '../value/types.ts';
import {
  type Command,
  collectionName,
  commandFields,
  documentsField,
  type Request,
  timeLimit,
} from './command.ts';
import { sendList } from './cursor.ts';

async function createIndexes(request: Request): Promise<Document> {
  const { store, database, body } = request;
  const name = collectionName(request);
  if ((body.commitQuorum ?? undefined) !== undefined)
    throw badValue("Standalones can't specify commitQuorum");
  const specs = documentsField(request, 'indexes').map(normaliseSpec);
  if (specs.length === 0) throw badValue('Must specify at least one index to create');
  const createdCollectionAutomatically = store.catalogue.find(database, name) === undefined;
  const collection = await store.writes.run(() => store.obtain(database, name));
  const numIndexesBefore = collection.indexes.length;
  for (const spec of specs) await buildIndex(store, collection, spec, timeLimit(body));
  const numIndexesAfter = collection.indexes.length;
  return {
    numIndexesBefore,
    numIndexesAfter,
    createdCollectionAutomatically,
    ...(numIndexesBefore === numIndexesAfter ? { note: 'all indexes already exist' } : {}),
    ok: 1,
  };
}

function listIndexes(request: Request): Promise<Buffer> {
  const { store, database } = request;
  const name = collectionName(request);
  const built = store.require(database, name).indexes.filter((index) => !index.building);
  const specs = built.map(({ spec }) => spec);
  return sendList(request, `${database}.${name}`, specs);
}

function chosen(collection: Collection, given: unknown): Index[] {
  if (given === '*') return collection.indexes.filter((index) => index.name !== '_id_');
  if (Array.isArray(given)) return given.flatMap((item) => chosen(collection, item));
  const found = collection.indexes.filter((index) => isNamed(index, given));
  if (found.length === 0) throw new CommandError(27, `index not found: ${JSON.stringify(given)}`);
  if (found.some((index) => index.name === '_id_')) throw new CommandError(72, 'cannot drop _id index');
  return found;
}

async function dropIndexes(request: Request): Promise<Document> {
  const { store, database, body } = request;
  const name = collectionName(request);
  const nIndexesWas = await store.writes.run(() => {
    const collection = store.require(database, name);
    const before = collection.indexes.length;
    const gone = new Set(chosen(collection, body.index));
    collection.indexes = collection.indexes.filter((index) => !gone.has(index));
    for (const index of gone) store.catalogue.addTrash('index', index.id);
    store.catalogue.save(collection);
    return before;
  });
  store.cleaner.wake();
  return { nIndexesWas, ok: 1 };
}

/** collMod, of which a change of a TTL and of the validator are supported. */
async function collMod(request: Request): Promise<Document> {
  const { store, database, body } = request;
  const collection = store.require(database, collectionName(request));
  const ttl = body.index === undefined ? null : ttlChange(collection, body.index);
  const options = validationOptions(body, collection.options);
  await store.writes.run(() => {
    if (ttl) {
      ttl.index.expireAfterSeconds = ttl.seconds;
      ttl.index.spec = { ...ttl.index.spec, expireAfterSeconds: ttl.seconds };
    }
    Object.assign(collection, { options, validator: compileValidator(options) });
    store.catalogue.save(collection);
  });
  return ttl ? { expireAfterSeconds_old: ttl.before, expireAfterSeconds_new: ttl.seconds, ok: 1 } : { ok: 1 };
}

/** The index whose time to live changes, and how. */
function ttlChange(
  collection: Collection,
  given: unknown,
): { index: Index; before: number | null; seconds: number } {
  const change = expectDocument(given, 14, "BSON field 'collMod.index' must be an object");
  const { keyPattern, name, expireAfterSeconds, ...unsupported } = change;
  const [option] = Object.keys(unsupported);
  if (option) throw new CommandError(72, `collMod option 'index.${option}' is not supported`);
  const index = collection.indexes.find((candidate) => isNamed(candidate, keyPattern ?? name));
  if (!index) throw new CommandError(27, 'cannot find the index to modify');
  const fault = ttlFault(index.key, expireAfterSeconds);
  if (fault) throw new CommandError(72, fault);
  return { index, before: index.expireAfterSeconds, seconds: asNumber(expireAfterSeconds) ?? 0 };
}

export const indexCommands: Record<string, Command> = {
  createIndexes: {
    fields: commandFields('createIndexes', 'indexes:array ignoreUnknownIndexOptions:bool commitQuorum'),
    run: createIndexes,
  },
  listIndexes: { fields: commandFields('listIndexes', 'cursor:object'), run: listIndexes },
  dropIndexes: { fields: commandFields('dropIndexes', 'index!'), run: dropIndexes },
  collMod: { fields: commandFields('collMod', `index:object ${validationFields}`), run: collMod },
};
