import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { withLeadingId } from '../bson/raw.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { Selected } from '../query/select.ts';
import { temporaryPrefix } from '../store/catalogue.ts';
import type { Collection } from '../store/collection.ts';
import { indexFromSpec } from '../store/index-spec.ts';
import type { Store } from '../store/store.ts';
import { type Document, isDocument } from '../value/types.ts';
import { compilePipelineUpdate } from './document-stages.ts';

type Source = AsyncIterable<Buffer[]>;
type Target = { database: string; name: string };

function parseTarget(spec: unknown, database: string): Target {
  if (typeof spec === 'string') return { database, name: spec };
  if (!isDocument(spec) || typeof spec.coll !== 'string')
    throw failedToParse('the target must be a collection name or { db, coll }');
  return { database: typeof spec.db === 'string' ? spec.db : database, name: spec.coll };
}

/** `$out`: the results take the place of a collection in one step; its indexes are kept. */
export async function writeOut(store: Store, database: string, spec: unknown, source: Source): Promise<void> {
  const target = parseTarget(spec, database);
  const temporary = await store.writes.run(() => {
    const made = store.catalogue.create(target.database, `${temporaryPrefix}${store.catalogue.allocateId()}`);
    const indexes = store.catalogue.find(target.database, target.name)?.indexes ?? [];
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
        for (const document of batch) store.documents.insert(temporary, document);
      });
    }
    await store.writes.run(() => {
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

type Matched = (existing: Document, incoming: Document) => Document | null;

function whenMatched(choice: unknown, variables: Document): Matched {
  if (Array.isArray(choice)) {
    return (existing, incoming) => compilePipelineUpdate(choice, { ...variables, new: incoming })(existing);
  }
  switch (choice ?? 'merge') {
    case 'replace':
      return (existing, incoming) => ({ _id: existing._id, ...incoming });
    case 'merge':
      return (existing, incoming) => ({ ...existing, ...incoming });
    case 'keepExisting':
      return () => null;
    case 'fail':
      return () => {
        throw new CommandError(11000, '$merge failed due to a DuplicateKey error');
      };
    default:
      throw failedToParse(
        `Enumeration value '${String(choice)}' for field '$merge.whenMatched' is not a valid value.`,
      );
  }
}

type Merge = { target: Target; on: string[]; matched: Matched; notMatched: unknown };

function parseMerge(spec: unknown, database: string, variables: Document): Merge {
  const options: Document = typeof spec === 'string' ? { into: spec } : isDocument(spec) ? spec : {};
  const on =
    options.on === undefined
      ? ['_id']
      : Array.isArray(options.on)
        ? options.on.map(String)
        : [String(options.on)];
  const notMatched = options.whenNotMatched ?? 'insert';
  if (!['insert', 'discard', 'fail'].includes(String(notMatched))) {
    throw failedToParse(
      `Enumeration value '${String(notMatched)}' for field '$merge.whenNotMatched' is not a valid value.`,
    );
  }
  if (options.let !== undefined) throw new CommandError(238, "$merge with 'let' is not supported");
  return {
    target: parseTarget(options.into, database),
    on,
    matched: whenMatched(options.whenMatched, variables),
    notMatched,
  };
}

function checkUnique(collection: Collection, on: string[]): void {
  const wanted = [...on].sort().join();
  const found = collection.indexes.some(
    ({ unique, partial, names }) => unique && !partial && [...names].sort().join() === wanted,
  );
  if (!found) throw new CommandError(51183, 'Cannot find index to verify that join fields will be unique');
}

function mergeOne(
  store: Store,
  collection: Collection,
  bytes: Buffer,
  { on, matched, notMatched }: Merge,
): void {
  const body = withLeadingId(bytes);
  const incoming = decode(body);
  const filter: Document = {};
  for (const field of on) {
    const value = field
      .split('.')
      .reduce<unknown>((inner, part) => (isDocument(inner) ? inner[part] : undefined), incoming);
    if (value === undefined || value === null || Array.isArray(value)) {
      throw new CommandError(
        51132,
        "$merge write error: 'on' field cannot be missing, null, undefined or an array",
      );
    }
    filter[field] = { $eq: value };
  }
  for (const chunk of new Selected(store.database, collection, { filter, limit: 1 }).chunks()) {
    for (const match of chunk) {
      const existing = decode(match.body);
      const after = matched(existing, on.includes('_id') ? incoming : withoutMadeId(bytes, body, incoming));
      if (after) store.documents.replace(collection, match.record, match.body, encode(after));
      return;
    }
  }
  if (notMatched === 'fail')
    throw new CommandError(13113, '$merge could not find a matching document in the target collection');
  if (notMatched === 'insert') store.documents.insert(collection, body);
}

/** An _id that was only made up for an insert must not be merged into another document. */
function withoutMadeId(bytes: Buffer, body: Buffer, { _id, ...rest }: Document): Document {
  return bytes.length === body.length ? { _id, ...rest } : rest;
}

/** `$merge`: each result is merged into the target by its unique fields, batch by batch. */
export async function writeMerge(
  store: Store,
  database: string,
  spec: unknown,
  variables: Document,
  source: Source,
): Promise<void> {
  const merge = parseMerge(spec, database, variables);
  const { database: into, name } = merge.target;
  const existing = store.catalogue.find(into, name);
  if (existing) checkUnique(existing, merge.on);
  for await (const batch of source) {
    await store.writes.run(() => {
      const collection = store.obtain(into, name);
      checkUnique(collection, merge.on);
      for (const document of batch) mergeOne(store, collection, document, merge);
    });
  }
}
