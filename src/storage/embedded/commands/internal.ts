import { Binary } from 'bson';
import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { planKilled } from '../errors.ts';
import { openScanner } from '../query/scanner.ts';
import { Selected } from '../query/select.ts';
import type { Collection } from '../store/collection.ts';
import { indexedFields } from '../store/documents.ts';
import type { EntryRun } from '../store/index-build.ts';
import { indexKeys } from '../store/index-keys.ts';
import { indexFromSpec } from '../store/index-spec.ts';
import type { Document } from '../value/types.ts';
import { collectionName, countField, type ReadCommand, type ReadRequest } from './command.ts';
import { findSelection, openCursor } from './find.ts';

/** Entries sorted at once: many make good neighbours, few take little memory. */
const sortedAtOnce = 100_000;
/** Entries handed over together. */
const runLength = 250;

type Entry = { key: string; record: number };

/** The collection the writer means, whatever it is called by now. */
function collectionById({ store, body }: ReadRequest): Collection {
  const collection = store.catalogue.list().find(({ id }) => id === body.id);
  if (!collection) throw planKilled();
  return collection;
}

/** The records of what a find would give. */
async function records(request: ReadRequest): Promise<Buffer> {
  const { store, database, body, pace } = request;
  const name = collectionName(request);
  const collection = collectionById(request);
  async function* source(): AsyncGenerator<Buffer[]> {
    const selected = new Selected(store.database, collection, findSelection(body));
    for await (const matches of selected.paced(pace)) yield matches.map(({ record }) => encode({ record }));
  }
  return openCursor(request, `${database}.${name}`, source(), undefined, false);
}

/** The entries that the documents of a collection have in an index, in runs sorted by key. */
function entries(request: ReadRequest): Promise<Buffer> {
  const { database, body } = request;
  const batchSize = countField(body, 'batchSize');
  return openCursor(request, `${database}.${collectionName(request)}`, entryRuns(request), batchSize, false);
}

async function* entryRuns(request: ReadRequest): AsyncGenerator<Buffer[]> {
  const { store, body, pace } = request;
  const collection = collectionById(request);
  const index = indexFromSpec(0, body.spec as Document);
  const fields = indexedFields([index]);
  const scan = openScanner(store.database, collection, {
    kind: 'scan',
    reverse: false,
    exact: true,
    sorted: true,
  });
  let waiting: Entry[] = [];
  const flags = { multikey: false, lossy: false };
  for (let rows = scan.next(runLength); rows; rows = scan.next(runLength)) {
    for (const { record, body: document } of rows) {
      const { keys, multikey, lossy } = indexKeys(index, decode(document, fields));
      flags.multikey ||= multikey;
      flags.lossy ||= lossy;
      for (const key of keys) waiting.push({ key: key.toString('latin1'), record });
    }
    if (pace.tired) await pace.rest();
    if (waiting.length < sortedAtOnce) continue;
    yield* inRuns(waiting, flags);
    waiting = [];
  }
  yield* inRuns(waiting, flags);
}

function* inRuns(all: Entry[], flags: { multikey: boolean; lossy: boolean }): Generator<Buffer[]> {
  all.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  for (let start = 0; start < all.length; start += runLength) {
    const part = all.slice(start, start + runLength);
    const run: EntryRun = {
      keys: part.map(({ key }) => new Binary(Buffer.from(key, 'latin1'))),
      records: part.map(({ record }) => record),
      ...flags,
    };
    yield [encode(run)];
  }
}

/** Commands that only the writer's thread sends to a reader. */
export const internalCommands: Record<string, ReadCommand> = {
  records: { fields: null, read: records },
  entries: { fields: null, read: entries },
};
