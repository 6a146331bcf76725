import { writeMerge, writeOut } from '../aggregate/output.ts';
import { asSelection, parsePipeline, runOnDocuments, runPipeline } from '../aggregate/pipeline.ts';
import type { StageContext } from '../aggregate/stage.ts';
import { encode, encodeCursorReply } from '../bson/encode.ts';
import { CommandError, failedToParse, notImplemented } from '../errors.ts';
import { parseCollation } from '../query/collation.ts';
import { Selected } from '../query/select.ts';
import { type Document, isDocument } from '../value/types.ts';
import {
  type Command,
  countField,
  flagField,
  letVariables,
  type ReadCommand,
  type ReadRequest,
  type Request,
} from './command.ts';
import { openCursor } from './find.ts';

/** What an aggregate command says, checked. */
function parse({ body, database }: ReadRequest): {
  pipeline: Document[];
  name: string | null;
  cursor: Document;
} {
  const pipeline = parsePipeline(body.pipeline);
  if (flagField(body, 'explain')) throw notImplemented('explain is not supported');
  if (!isDocument(body.cursor)) {
    throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
  }
  const name = typeof body.aggregate === 'string' ? body.aggregate : null;
  if (name === '') throw new CommandError(73, `Invalid namespace specified '${database}.'`);
  return { pipeline, name, cursor: body.cursor };
}

/** Results of `$out` and `$merge` written in one transaction. */
const writtenAtOnce = 250;

const namespaceOf = (database: string, name: string | null): string =>
  `${database}.${name ?? '$cmd.aggregate'}`;

async function read(request: ReadRequest): Promise<Buffer> {
  const { pipeline, name, cursor } = parse(request);
  const batchSize = countField(cursor, 'batchSize');
  const results = source(name, pipeline, request);
  return openCursor(request, namespaceOf(request.database, name), results, batchSize, false);
}

/** A pipeline that is no more than a query sends stored bytes as they are; any other runs in a reader thread. */
async function* source(
  name: string | null,
  pipeline: Document[],
  request: ReadRequest,
): AsyncGenerator<Buffer[]> {
  const { store, database, body, pace } = request;
  const collation = parseCollation(body.collation);
  const variables = letVariables(body) ?? {};
  const selection = name === null ? null : asSelection(pipeline);
  const collection = name === null ? undefined : store.catalogue.find(database, name);
  if (selection && collection) {
    const hint = body.hint === undefined ? {} : { hint: body.hint };
    const selected = new Selected(store.database, collection, {
      ...selection,
      collation,
      variables,
      ...hint,
    });
    if (selected.long) pace.move();
    for await (const matches of selected.paced(pace)) yield matches.map((match) => match.body);
    return;
  }
  pace.move();
  const context: StageContext = { store, database, pace, collation, variables };
  const results =
    name === null ? runOnDocuments(pipeline, context) : runPipeline(name, pipeline, context, body.hint);
  for await (const batch of results) yield batch.map(encode);
}

/** With `$out` or `$merge` at its end a pipeline is read by a reader and written here. */
async function run(request: Request): Promise<Buffer> {
  const { store, database, body, client } = request;
  const { pipeline, name, cursor } = parse(request);
  const [first = {}] = pipeline;
  const last = pipeline.at(-1) ?? {};
  if (name === null && '$listLocalSessions' in first) {
    const stages = [{ $documents: store.sessions.list() }, ...pipeline.slice(1)];
    const results = store.readers.documents(database, { ...body, pipeline: stages }, client);
    const batchSize = countField(cursor, 'batchSize');
    return openCursor(request, namespaceOf(database, name), results, batchSize, false);
  }
  if (!('$out' in last || '$merge' in last)) return read(request);
  const source = { ...body, pipeline: pipeline.slice(0, -1) };
  const results = store.readers.documents(database, source, client, writtenAtOnce);
  if ('$out' in last) await writeOut(store, database, last.$out, results);
  else await writeMerge(store, database, last.$merge, results);
  return encodeCursorReply('firstBatch', [], 0n, namespaceOf(database, name));
}

export const aggregateCommand: Command & ReadCommand = {
  fields: [
    'pipeline',
    'cursor',
    'allowDiskUse',
    'explain',
    'collation',
    'hint',
    'let',
    'bypassDocumentValidation',
  ],
  read,
  run,
};
