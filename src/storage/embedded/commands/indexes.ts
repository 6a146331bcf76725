import { encode } from '../bson/encode.ts';
import { badValue, CommandError } from '../errors.ts';
import { sameKey } from '../query/planner.ts';
import type { Collection } from '../store/collection.ts';
import { buildIndex } from '../store/index-build.ts';
import { type Index, normaliseSpec } from '../store/index-spec.ts';
import { compileValidator, validationFields, validationOptions } from '../store/validator.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';
import { type Command, collectionName, countField, type Request, statements } from './command.ts';
import { openCursor } from './find.ts';

async function createIndexes(request: Request): Promise<Document> {
  const { store, database } = request;
  const name = collectionName(request);
  const specs = statements(request, 'indexes').map(normaliseSpec);
  if (specs.length === 0) throw badValue('Must specify at least one index to create');
  const createdCollectionAutomatically = store.catalogue.find(database, name) === undefined;
  const collection = await store.writes.run(() => store.obtain(database, name));
  const numIndexesBefore = collection.indexes.length;
  for (const spec of specs) await buildIndex(store, collection, spec);
  const numIndexesAfter = collection.indexes.length;
  return {
    numIndexesBefore,
    numIndexesAfter,
    createdCollectionAutomatically,
    ...(numIndexesBefore === numIndexesAfter ? { note: 'all indexes already exist' } : {}),
    ok: 1,
  };
}

async function listIndexes(request: Request): Promise<Buffer> {
  const { store, database, body } = request;
  const name = collectionName(request);
  const collection = store.require(database, name);
  const cursor = isDocument(body.cursor) ? body.cursor : {};
  const specs = collection.indexes.filter((index) => !index.building).map((index) => encode(index.spec));
  async function* source(): AsyncGenerator<Buffer[]> {
    yield specs;
  }
  return openCursor(request, `${database}.${name}`, source(), countField(cursor, 'batchSize'), false);
}

function chosen(collection: Collection, given: unknown): Index[] {
  if (given === '*') return collection.indexes.filter((index) => index.name !== '_id_');
  if (Array.isArray(given)) return given.flatMap((item) => chosen(collection, item));
  const found = collection.indexes.filter((index) =>
    isDocument(given) ? sameKey(index.key, given) : index.name === given,
  );
  if (found.length === 0) {
    throw new CommandError(
      27,
      isDocument(given)
        ? `can't find index with key: ${JSON.stringify(given)}`
        : `index not found with name [${String(given)}]`,
    );
  }
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
  change: unknown,
): { index: Index; before: number | null; seconds: number } {
  if (!isDocument(change)) throw new CommandError(14, "BSON field 'collMod.index' must be an object");
  const unsupported = Object.keys(change).find(
    (key) => !['keyPattern', 'name', 'expireAfterSeconds'].includes(key),
  );
  if (unsupported) throw new CommandError(72, `collMod option 'index.${unsupported}' is not supported`);
  const index = collection.indexes.find((candidate) =>
    isDocument(change.keyPattern)
      ? sameKey(candidate.key, change.keyPattern)
      : candidate.name === change.name,
  );
  if (!index) throw new CommandError(27, 'cannot find the index to modify');
  const seconds = asNumber(change.expireAfterSeconds);
  if (seconds === null || seconds < 0) throw badValue('expireAfterSeconds must be a non-negative number');
  return { index, before: index.expireAfterSeconds, seconds };
}

export const indexCommands: Record<string, Command> = {
  createIndexes: { fields: ['indexes', 'ignoreUnknownIndexOptions'], run: createIndexes },
  listIndexes: { fields: ['cursor'], run: listIndexes },
  dropIndexes: { fields: ['index'], run: dropIndexes },
  collMod: { fields: ['index', ...validationFields], run: collMod },
};
