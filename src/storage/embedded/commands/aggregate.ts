import { writeMerge, writeOut } from '../aggregate/output.ts';
import { asSelection, parsePipeline, runOnDocuments, runPipeline } from '../aggregate/pipeline.ts';
import type { StageContext } from '../aggregate/stage.ts';
import { encode, encodeCursorReply } from '../bson/encode.ts';
import { CommandError, failedToParse, notImplemented } from '../errors.ts';
import { parseCollation } from '../query/collation.ts';
import { Selected } from '../query/select.ts';
import { type Document, isDocument } from '../value/types.ts';
import { type Command, countField, flagField, letVariables, type Request } from './command.ts';
import { openCursor } from './find.ts';

async function aggregate(request: Request): Promise<Buffer> {
  const { store, database, body, pace } = request;
  const pipeline = parsePipeline(body.pipeline);
  if (flagField(body, 'explain')) throw notImplemented('explain is not supported');
  if (!isDocument(body.cursor)) {
    throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
  }
  const name = typeof body.aggregate === 'string' ? body.aggregate : null;
  if (name === '') throw new CommandError(73, `Invalid namespace specified '${database}.'`);
  const context: StageContext = {
    store,
    database,
    pace,
    collation: parseCollation(body.collation),
    variables: letVariables(body) ?? {},
  };
  const namespace = `${database}.${name ?? '$cmd.aggregate'}`;
  const batchSize = countField(body.cursor, 'batchSize');
  const last = pipeline.at(-1);
  const output = last && ('$out' in last || '$merge' in last) ? last : null;
  const results = source(name, output ? pipeline.slice(0, -1) : pipeline, context, body.hint);
  if (!output) return openCursor(request, namespace, results, batchSize, false);
  if ('$out' in output) await writeOut(store, database, output.$out, results);
  else await writeMerge(store, database, output.$merge, context.variables, results);
  return encodeCursorReply('firstBatch', [], 0n, namespace);
}

async function* source(
  name: string | null,
  pipeline: Document[],
  context: StageContext,
  hint: unknown,
): AsyncGenerator<Buffer[]> {
  const { store, database, pace, collation, variables } = context;
  const selection = name === null ? null : asSelection(pipeline);
  const collection = name === null ? undefined : store.catalogue.find(database, name);
  if (selection && collection) {
    const whole = { ...selection, collation, variables, ...(hint === undefined ? {} : { hint }) };
    for await (const matches of new Selected(store.database, collection, whole).paced(pace)) {
      yield matches.map(({ body }) => body);
    }
    return;
  }
  const results =
    name === null ? runOnDocuments(pipeline, context) : runPipeline(name, pipeline, context, hint);
  for await (const batch of results) yield batch.map(encode);
}

export const aggregateCommand: Command = {
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
  run: aggregate,
};
