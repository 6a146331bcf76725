import { writeMerge, writeOut } from '../aggregate/output.ts';
import { asSelection, parsePipeline, runOnDocuments, runPipeline } from '../aggregate/pipeline.ts';
import { encode, encodeCursorReply } from '../bson/encode.ts';
import { CommandError, failedToParse, notImplemented } from '../errors.ts';
import { Selected } from '../plan/select.ts';
import { parseCollation } from '../query/collation.ts';
import type { Document } from '../value/types.ts';
import {
  bypassValidation,
  type Command,
  commandFields,
  documentField,
  flagField,
  letVariables,
  type ReadCommand,
  type ReadRequest,
  type Request,
} from './command.ts';
import { cursorBatchSize, openCursor } from './cursor.ts';

/** What an aggregate command says, checked; without a collection it has no name. */
type Parsed = { pipeline: Document[]; name: string | null; namespace: string; batchSize: number | undefined };

function parse(request: ReadRequest): Parsed {
  const { body, database } = request;
  const pipeline = parsePipeline(body.pipeline);
  if (flagField(body, 'explain')) throw notImplemented('explain is not supported');
  if (!documentField(body, 'cursor')) throw failedToParse("The 'cursor' option is required");
  const name = typeof body.aggregate === 'string' ? body.aggregate : null;
  if (name === '') throw new CommandError(73, `Invalid namespace specified '${database}.'`);
  const namespace = `${database}.${name ?? '$cmd.aggregate'}`;
  return { pipeline, name, namespace, batchSize: cursorBatchSize(request) };
}

/** Results of `$out` and `$merge` written in one transaction. */
const writtenAtOnce = 250;

async function read(request: ReadRequest): Promise<Buffer> {
  const { namespace, batchSize, ...parsed } = parse(request);
  return openCursor(request, namespace, results(request, parsed), batchSize);
}

/**
 * A pipeline that is no more than a query sends stored bytes as they are; any other runs in a reader thread. Where it
 * runs is decided before its cursor is opened: a cursor stays where it is.
 */
function results(
  { store, database, body, pace }: ReadRequest,
  { name, pipeline }: Pick<Parsed, 'name' | 'pipeline'>,
): AsyncGenerator<Buffer[]> {
  const { hint } = body;
  const collation = parseCollation(body.collation);
  const variables = letVariables(body) ?? {};
  const selection = name === null ? null : asSelection(pipeline);
  const collection = name === null ? undefined : store.catalogue.find(database, name);
  if (selection && collection) {
    const whole = { ...selection, collation, variables, hint };
    const selected = new Selected(store.database, collection, whole);
    if (selected.long) pace.move();
    return inBytes(selected.paced(pace), ({ body }) => body);
  }
  pace.move();
  const context = { store, database, pace, collation, variables };
  const documents =
    name === null ? runOnDocuments(pipeline, context) : runPipeline(name, pipeline, context, hint);
  return inBytes(documents, encode);
}

async function* inBytes<Item>(
  batches: AsyncIterable<Item[]>,
  bytes: (item: Item) => Buffer,
): AsyncGenerator<Buffer[]> {
  for await (const batch of batches) yield batch.map(bytes);
}

/** With `$out` or `$merge` at its end a pipeline is read by a reader and written here. */
async function run(request: Request): Promise<Buffer> {
  const { store, database, body, client } = request;
  const { pipeline, name, namespace, batchSize } = parse(request);
  const [first = {}] = pipeline;
  const last = pipeline.at(-1) ?? {};
  const readBy = (stages: Document[]) =>
    store.readers.documents(database, { ...body, pipeline: stages }, client, writtenAtOnce);
  if (name === null && '$listLocalSessions' in first) {
    const stages = [{ $documents: store.sessions.list() }, ...pipeline.slice(1)];
    return openCursor(request, namespace, readBy(stages), batchSize);
  }
  if (!('$out' in last || '$merge' in last)) return read(request);
  const documents = readBy(pipeline.slice(0, -1));
  if ('$out' in last) await writeOut(store, database, last.$out, documents);
  else await writeMerge(store, database, last.$merge, documents);
  return encodeCursorReply('firstBatch', [], 0n, namespace);
}

export const aggregateCommand: Command & ReadCommand = {
  fields: commandFields(
    'aggregate',
    `pipeline:array! cursor:object allowDiskUse:bool explain:flag collation:object hint let:object ${bypassValidation}:flag`,
  ),
  read,
  run,
};
