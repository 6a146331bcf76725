import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { withLeadingId } from '../bson/raw.ts';
import { CommandError, failedToParse, notImplemented, planKilled } from '../errors.ts';
import { checkFields, fieldTable } from '../fields.ts';
import { Selected } from '../plan/select.ts';
import { temporaryPrefix } from '../store/catalogue.ts';
import type { Collection } from '../store/collection.ts';
import { duplicateKey } from '../store/indexes/duplicate-key.ts';
import { indexFromSpec } from '../store/indexes/index-spec.ts';
import type { Store } from '../store/store.ts';
import { withField } from '../value/ordered.ts';
import { type Document, expectDocument, isDocument } from '../value/types.ts';

type Source = AsyncIterable<Buffer[]>;
type Target = { database: string; name: string };

const targetFields = fieldTable('db:string coll:string! timeseries:object');

function parseTarget(stage: string, spec: unknown, database: string): Target {
  if (typeof spec === 'string') return { database, name: spec };
  if (!isDocument(spec)) throw failedToParse('the target must be a collection name or { db, coll }');
  checkFields(stage, spec, targetFields);
  if (spec.timeseries !== undefined) throw notImplemented('a time-series target is not supported');
  return { database: typeof spec.db === 'string' ? spec.db : database, name: String(spec.coll) };
}

/** `$out`: the results take the place of a collection in one step; its indexes are kept. */
export async function writeOut(store: Store, database: string, spec: unknown, source: Source): Promise<void> {
  const target = parseTarget('$out', spec, database);
  const temporary = await store.writes.run(() => {
    const name = `${temporaryPrefix}${store.catalogue.allocateId()}`;
    const { indexes = [], options } = store.catalogue.find(target.database, target.name) ?? {};
    const made = store.catalogue.create(target.database, name, options);
    const copies = indexes
      .filter(({ name }) => name !== '_id_')
      .map(({ spec: own }) => indexFromSpec(store.catalogue.allocateId(), own));
    made.indexes = [...made.indexes, ...copies];
    store.catalogue.save(made);
    return made;
  });
  try {
    for await (const batch of source) {
      await store.writes.run(() => {
        if (temporary.dropped) throw planKilled();
        for (const document of batch) store.documents.insert(temporary, document);
      });
    }
    await store.writes.run(() => {
      if (temporary.dropped) throw planKilled();
      const previous = store.catalogue.find(target.database, target.name);
      if (previous) store.catalogue.drop(previous);
      store.catalogue.rename(temporary, target.database, target.name);
    });
  } catch (error) {
    await store.writes.run(() => store.catalogue.drop(temporary));
    throw error;
  } finally {
    store.cleaner.wake();
  }
}

const unsupported = (what: string): CommandError => notImplemented(`$merge with ${what} is not supported`);

/** How `$merge` treats a result whose _id the target knows, and one whose _id it does not know. */
type Merge = { target: Target; matched: string; notMatched: string };

const mergeFields = fieldTable('into! on whenMatched whenNotMatched:string let:object');

function parseMerge(spec: unknown, database: string): Merge {
  const options =
    typeof spec === 'string' ? { into: spec } : expectDocument(spec, 9, '$merge needs a target');
  checkFields('$merge', options, mergeFields);
  const { into, on = '_id', whenMatched = 'merge', whenNotMatched = 'insert' } = options as Document;
  if (String(on) !== '_id') throw unsupported("an 'on' other than _id");
  if (Array.isArray(whenMatched) || 'let' in options) throw unsupported('a pipeline');
  return {
    target: parseTarget('$merge.into', into, database),
    matched: oneOf('whenMatched', whenMatched, ['replace', 'merge', 'keepExisting', 'fail']),
    notMatched: oneOf('whenNotMatched', whenNotMatched, ['insert', 'discard', 'fail']),
  };
}

function oneOf(name: string, value: unknown, values: string[]): string {
  if (typeof value === 'string' && values.includes(value)) return value;
  throw failedToParse(
    `Enumeration value '${String(value)}' for field '$merge.${name}' is not a valid value.`,
  );
}

function mergeOne(store: Store, collection: Collection, bytes: Buffer, merge: Merge): void {
  const body = withLeadingId(bytes);
  const incoming = decode(body);
  const filter = { _id: { $eq: incoming._id } };
  const [match] = [...new Selected(store.database, collection, { filter, limit: 1 }).chunks()].flat();
  if (match) {
    const [idIndex] = collection.indexes;
    if (merge.matched === 'fail' && idIndex) throw duplicateKey(collection.namespace, idIndex, incoming);
    if (merge.matched === 'keepExisting') return;
    const after = merge.matched === 'replace' ? body : encode(merged(decode(match.body), incoming));
    store.documents.replace(collection, match.record, match.body, after);
  } else {
    if (merge.notMatched === 'fail')
      throw new CommandError(13113, '$merge could not find a matching document in the target collection');
    if (merge.notMatched === 'insert') store.documents.insert(collection, body);
  }
}

const merged = (existing: Document, incoming: Document): Document =>
  Object.entries(incoming).reduce((document, [name, value]) => withField(document, name, value), existing);

/** `$merge`: each result is merged into the target by its _id, batch by batch. */
export async function writeMerge(
  store: Store,
  database: string,
  spec: unknown,
  source: Source,
): Promise<void> {
  const merge = parseMerge(spec, database);
  for await (const batch of source) {
    await store.writes.run(() => {
      const collection = store.obtain(merge.target.database, merge.target.name);
      for (const document of batch) mergeOne(store, collection, document, merge);
    });
  }
}
