import { writeMerge, writeOut } from '../aggregate/output.ts';
import { asSelection, parsePipeline, runOnDocuments, runPipeline } from '../aggregate/pipeline.ts';
import { encode, encodeCursorReply } from '../bson/encode.ts';
import { CommandError, failedToParse, notImplemented } from '../errors.ts';
import { parseCollation } from '../query/collation.ts';
import { Selected } from '../query/select.ts';
import { type Document, isDocument } from '../value/types.ts';
import {
  bypassValidation,
  type Command,
  countField,
  fieldSet,
  flagField,
  letVariables,
  type ReadCommand,
  type ReadRequest,
  type Request,
} from './command.ts';
import { openCursor } from './cursor.ts';

/** What an aggregate command says, checked; without a collection it has no name. */
type Parsed = { pipeline: Document[]; name: string | null; namespace: string; batchSize: number | undefined };

function parse({ body, database }: ReadRequest): Parsed {
  const pipeline = parsePipeline(body.pipeline);
  if (flagField(body, 'explain')) throw notImplemented('explain is not supported');
  if (!isDocument(body.cursor)) throw failedToParse("The 'cursor' option is required");
  const name = typeof body.aggregate === 'string' ? body.aggregate : null;
  if (name === '') throw new CommandError(73, `Invalid namespace specified '${database}.'`);
  const namespace = `${database}.${name ?? '$cmd.aggregate'}`;
  return { pipeline, name, namespace, batchSize: countField(body.cursor, 'batchSize') };
}

/** Results of `$out` and `$merge` written in one transaction. */
const writtenAtOnce = 250;

async function read(request: ReadRequest): Promise<Buffer> {
  const { namespace, batchSize, ...parsed } = parse(request);
  return openCursor(request, namespace, results(request, parsed), batchSize);
}

/** A pipeline that is no more than a query sends stored bytes as they are; any other runs in a reader thread. */
async function* results(
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
    for await (const matches of selected.paced(pace)) yield matches.map((match) => match.body);
    return;
  }
  pace.move();
  const context = { store, database, pace, collation, variables };
  const documents =
    name === null ? runOnDocuments(pipeline, context) : runPipeline(name, pipeline, context, hint);
  for await (const batch of documents) yield batch.map(encode);
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
  fields: fieldSet(`pipeline cursor allowDiskUse explain collation hint let ${bypassValidation}`),
  read,
  run,
};
