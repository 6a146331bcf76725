import { decode } from '../bson/decode.ts';
import { CommandError, failedToParse, notImplemented } from '../errors.ts';
import { compileExpression } from '../expression.ts';
import { Selected, type Selection } from '../query/select.ts';
import { memoryExceeded, memoryLimit, parseSort } from '../query/sort.ts';
import { type Document, isDocument } from '../value/types.ts';
import {
  CountStage,
  LimitStage,
  MapStage,
  MatchStage,
  SkipStage,
  SortStage,
  UnwindStage,
  wholeNumber,
} from './basic-stages.ts';
import { bucketAsGroup } from './bucket.ts';
import { CollectingStage, FacetStage } from './collecting-stages.ts';
import { neededFields } from './dependencies.ts';
import { compileDocumentStage } from './document-stages.ts';
import { GroupStage } from './group.ts';
import { LookupStage, type RunPipeline, UnionStage } from './joins.ts';
import { finishAll, type Stage, type StageContext, sendThrough } from './stage.ts';

const collecting = new Set([
  '$bucketAuto',
  '$setWindowFields',
  '$densify',
  '$fill',
  '$graphLookup',
  '$sample',
  '$redact',
]);
const refused: Record<string, CommandError> = {
  $out: new CommandError(40601, '$out can only be the final stage in the pipeline'),
  $merge: new CommandError(40601, '$merge can only be the final stage in the pipeline'),
  $changeStream: new CommandError(40573, 'The $changeStream stage is only supported on replica sets'),
  $changeStreamSplitLargeEvent: new CommandError(
    40573,
    'The $changeStream stage is only supported on replica sets',
  ),
  $search: new CommandError(
    31082,
    'Using $search and $vectorSearch aggregation stages requires additional configuration',
  ),
  $searchMeta: new CommandError(
    31082,
    'Using $search and $vectorSearch aggregation stages requires additional configuration',
  ),
  $vectorSearch: new CommandError(
    31082,
    'Using $search and $vectorSearch aggregation stages requires additional configuration',
  ),
  $listSearchIndexes: new CommandError(
    31082,
    'Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional configuration',
  ),
};
const unsupported = new Set([
  '$collStats',
  '$currentOp',
  '$geoNear',
  '$indexStats',
  '$listLocalSessions',
  '$listSessions',
  '$planCacheStats',
  '$shardedDataDistribution',
  '$listClusterCatalog',
  '$querySettings',
  '$rankFusion',
]);

/** Checks the shape of a pipeline. */
export function parsePipeline(pipeline: unknown): Document[] {
  if (!Array.isArray(pipeline)) throw new CommandError(14, "'pipeline' option must be specified as an array");
  for (const stage of pipeline) {
    if (!isDocument(stage))
      throw new CommandError(14, "Each element of the 'pipeline' array must be an object");
    const names = Object.keys(stage);
    if (names.length !== 1)
      throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  return pipeline as Document[];
}

/** Compiles stages; each call makes new ones, since they hold state. */
export function compileStages(pipeline: readonly Document[], context: StageContext): Stage[] {
  return pipeline.flatMap((stage, i) => {
    const [name = ''] = Object.keys(stage);
    const next = pipeline[i + 1];
    const limit = name === '$sort' && next && '$limit' in next ? wholeNumber(next.$limit, '$limit', 1) : 0;
    return compileStage(name, stage[name], limit, context);
  });
}

function compileStage(name: string, spec: unknown, limit: number, context: StageContext): Stage[] {
  const run: RunPipeline = (collection, pipeline, variables) =>
    collect(collection, pipeline, { ...context, variables });
  switch (name) {
    case '$match':
      return [new MatchStage(spec, context)];
    case '$sort':
      return [new SortStage(spec, limit, context)];
    case '$limit':
      return [new LimitStage(spec)];
    case '$skip':
      return [new SkipStage(spec)];
    case '$count':
      return [new CountStage(spec)];
    case '$group':
      return [new GroupStage(spec, context.variables)];
    case '$sortByCount':
      return [
        new GroupStage({ _id: spec, count: { $sum: 1 } }, context.variables),
        new SortStage({ count: -1 }, 0, context),
      ];
    case '$bucket':
      return [new GroupStage(bucketAsGroup(spec), context.variables), new SortStage({ _id: 1 }, 0, context)];
    case '$unwind':
      return [new UnwindStage(spec)];
    case '$lookup':
      return [new LookupStage(spec, context, run)];
    case '$unionWith':
      return [new UnionStage(spec, context, run)];
    case '$facet':
      return [new FacetStage(spec, (pipeline) => compileStages(parsePipeline(pipeline), context))];
    default: {
      const change = compileDocumentStage(name, spec, context.variables);
      if (change) return [new MapStage(change)];
      if (collecting.has(name)) return [new CollectingStage(name, spec, (other) => readAll(other, context))];
      throw (
        refused[name] ??
        (unsupported.has(name)
          ? notImplemented(`the ${name} stage is not supported`)
          : new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`))
      );
    }
  }
}

/** A whole collection, for the stages that walk around in it. */
function readAll(name: string, { store, database }: StageContext): Document[] {
  const collection = store.catalogue.find(database, name);
  const documents: Document[] = [];
  let size = 0;
  if (!collection) return documents;
  for (const chunk of new Selected(store.database, collection, { filter: {} }).chunks()) {
    for (const { body } of chunk) {
      size += body.length;
      documents.push(decode(body, null, 'plain'));
    }
    if (size > memoryLimit) throw memoryExceeded('$graphLookup');
  }
  return documents;
}

async function collect(collection: string, pipeline: Document[], context: StageContext): Promise<Document[]> {
  const result: Document[] = [];
  for await (const batch of runPipeline(collection, parsePipeline(pipeline), context)) result.push(...batch);
  return result;
}

/** Splits off the leading stages that a query can do: filter, order, skip and limit. */
function splitLeading(pipeline: readonly Document[]): { selection: Selection; rest: Document[] } {
  const matches: Document[] = [];
  const selection: Selection = { filter: {} };
  let at = 0;
  for (; at < pipeline.length; at++) {
    const { $match, $sort, $skip, $limit } = pipeline[at] as Document;
    const cut = selection.skip !== undefined || selection.limit !== undefined;
    if (isDocument($match) && !cut) matches.push($match);
    else if ($sort !== undefined && !cut && selection.sort === undefined) selection.sort = parseSort($sort);
    else if ($skip !== undefined && !cut) selection.skip = wholeNumber($skip, '$skip', 0);
    else if ($limit !== undefined && selection.limit === undefined)
      selection.limit = wholeNumber($limit, '$limit', 1);
    else break;
  }
  const [only] = matches;
  selection.filter = matches.length > 1 ? { $and: matches } : (only ?? {});
  return { selection, rest: pipeline.slice(at) };
}

/** Runs a pipeline on a collection, batch by batch. Everything is compiled before the first document is read. */
export async function* runPipeline(
  name: string,
  pipeline: readonly Document[],
  context: StageContext,
  hint?: unknown,
): AsyncGenerator<Document[]> {
  const { store, database, collation, variables, pace } = context;
  const { selection, rest } = splitLeading(pipeline);
  const stages = compileStages(rest, context);
  const collection = store.catalogue.find(database, name);
  if (collection) {
    const selected = new Selected(store.database, collection, {
      ...selection,
      collation,
      variables,
      ...(hint === undefined ? {} : { hint }),
    });
    const count = stages[0]?.pushCount ? selected.countQuickly() : null;
    if (count !== null) stages[0]?.pushCount?.(count);
    else {
      const wanted = neededFields(rest);
      for await (const matches of selected.paced(pace)) {
        const batch = matches.map(({ body }) => (wanted?.size === 0 ? {} : decode(body, wanted, 'plain')));
        const out = await sendThrough(stages, 0, batch);
        if (out.length > 0) yield out;
        if (stages.some((stage) => stage.satisfied)) break;
      }
    }
  }
  const tail = await finishAll(stages);
  if (tail.length > 0) yield tail;
}

/** Runs a pipeline that begins with `$documents` instead of a collection. */
export async function* runOnDocuments(
  pipeline: readonly Document[],
  context: StageContext,
): AsyncGenerator<Document[]> {
  const [first, ...rest] = pipeline;
  if (!first || !('$documents' in first))
    throw failedToParse('{aggregate: 1} is not valid for this pipeline');
  const stages = compileStages(rest, context);
  const documents = compileExpression(first.$documents, context.variables)({});
  if (!Array.isArray(documents) || !documents.every(isDocument))
    throw new CommandError(5858203, '$documents must be an array of objects');
  const out = await sendThrough(stages, 0, documents);
  yield [...out, ...(await finishAll(stages))];
}

/** True when a pipeline consists of nothing but what a query can do, so that stored bytes can be sent as they are. */
export function asSelection(pipeline: readonly Document[]): Selection | null {
  const { selection, rest } = splitLeading(pipeline);
  return rest.length === 0 ? selection : null;
}
