import { Binary } from 'bson';
import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { CommandError, planKilled } from '../errors.ts';
import { scan } from '../plan/scanner.ts';
import { Selected } from '../plan/select.ts';
import type { Collection } from '../store/collection.ts';
import { indexedFields } from '../store/documents.ts';
import type { EntryRun } from '../store/indexes/index-build.ts';
import { indexKeys } from '../store/indexes/index-keys.ts';
import { indexFromSpec } from '../store/indexes/index-spec.ts';
import type { ReadStore } from '../store/read-store.ts';
import type { Document } from '../value/types.ts';
import type { Message } from '../wire.ts';
import { aggregateCommand } from './aggregate.ts';
import {
  checkCommand,
  collectionName,
  countField,
  paceOf,
  parseSelection,
  type ReadCommand,
  type ReadRequest,
} from './command.ts';
import { cursorCommands, openCursor } from './cursor.ts';
import { findCommands } from './find.ts';

/** The commands that only read. */
export const readCommands: Record<string, ReadCommand> = {
  ...findCommands,
  ...cursorCommands,
  aggregate: aggregateCommand,
};

/** Commands that only the writer's thread sends to a reader. */
const internalCommands: Record<string, ReadCommand> = {
  records: { fields: null, read: (request) => sendAll(request, records(request)) },
  entries: { fields: null, read: (request) => sendAll(request, entries(request)) },
};

/** Runs a command in a reader thread. */
export async function runRead(store: ReadStore, message: Message, client: AbortSignal): Promise<Buffer> {
  const { body } = message;
  const name = Object.keys(body)[0] ?? '';
  const command = internalCommands[name] ?? readCommands[name];
  if (!command) throw new CommandError(59, `no such command: '${name}'`);
  checkCommand(name, body, command);
  const database = String(body.$db);
  const pace = paceOf(body, false, client);
  const reply = await command.read({ store, database, name, body, message, client, pace });
  return Buffer.isBuffer(reply) ? reply : encode(reply);
}

const sendAll = (request: ReadRequest, source: AsyncGenerator<Buffer[]>): Promise<Buffer> => {
  const namespace = `${request.database}.${collectionName(request)}`;
  return openCursor(request, namespace, source, countField(request.body, 'batchSize'));
};

/** The collection the writer means, whatever it is called by now. */
function collectionById({ store, body }: ReadRequest): Collection {
  const collection = store.catalogue.list().find(({ id }) => id === body.id);
  if (!collection) throw planKilled();
  return collection;
}

/** The records of what a find would give. */
async function* records(request: ReadRequest): AsyncGenerator<Buffer[]> {
  const { store, body, pace } = request;
  const collection = collectionById(request);
  const selected = new Selected(store.database, collection, parseSelection(body, 'filter'));
  for await (const matches of selected.paced(pace)) yield matches.map(({ record }) => encode({ record }));
}

/** Entries sorted at once: many make good neighbours, few take little memory. */
const sortedAtOnce = 100_000;
/** Entries handed over together. */
const runLength = 250;

type Entry = { key: string; record: number };

/** The entries that the documents of a collection have in an index, in runs sorted by key. */
async function* entries(request: ReadRequest): AsyncGenerator<Buffer[]> {
  const { store, body, pace } = request;
  const collection = collectionById(request);
  const index = indexFromSpec(0, body.spec as Document);
  const fields = indexedFields([index]);
  const everything = { kind: 'scan', reverse: false, exact: true, sorted: true } as const;
  let waiting: Entry[] = [];
  const flags = { multikey: false, lossy: false };
  for (const rows of scan(store.database, collection, everything, () => runLength)) {
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
