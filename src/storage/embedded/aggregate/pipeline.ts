import { decode } from '../bson/decode.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { compileExpression } from '../expression/expression.ts';
import type { DocumentQuery } from '../plan/document-query.ts';
import { Selected } from '../plan/select.ts';
import { parseSort } from '../query/sort.ts';
import { type Document, expectDocument, isDocument } from '../value/types.ts';
import { collectingStage, facetStage } from './collecting-stages.ts';
import { neededFields } from './dependencies.ts';
import { compileDocumentStage } from './document-stages.ts';
import { bucketStage, countingStage, groupBy, groupStage } from './group.ts';
import { lookupStage, type RunPipeline, readMatching, unionStage } from './joins.ts';
import {
  countStage,
  limitStage,
  matchStage,
  skipStage,
  sortStage,
  unwindStage,
  wholeNumber,
} from './simple-stages.ts';
import { eachBatch, pipe, type Stage, type StageContext } from './stage.ts';

/** Checks the shape of a pipeline. */
export function parsePipeline(pipeline: unknown): Document[] {
  if (!Array.isArray(pipeline)) throw new CommandError(14, "'pipeline' option must be specified as an array");
  return pipeline.map((stage) => {
    const spec = expectDocument(stage, 14, "Each element of the 'pipeline' array must be an object");
    if (Object.keys(spec).length === 1) return spec;
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  });
}

type CompileStages = (spec: unknown, context: StageContext, next: Document | undefined) => Stage[];

const runOn =
  (context: StageContext): RunPipeline =>
  (name, pipeline, variables) =>
    runPipeline(name, parsePipeline(pipeline), { ...context, variables });

const compilers: Record<string, CompileStages> = {
  $match: (spec, context) => [matchStage(spec, context)],
  $sort: (spec, context, next) => {
    const limit = next && '$limit' in next ? wholeNumber(next.$limit, '$limit', 1) : 0;
    return [sortStage(spec, limit, context)];
  },
  $limit: (spec) => [limitStage(spec)],
  $skip: (spec) => [skipStage(spec)],
  $count: (spec) => [countStage(spec)],
  $group: (spec, { variables }) => [groupStage(spec, variables)],
  $sortByCount: (spec, context) => [
    groupBy(compileExpression(spec, context.variables), { count: { $sum: 1 } }, context.variables),
    sortStage({ count: -1 }, 0, context),
  ],
  $bucket: (spec, context) => [bucketStage(spec, context.variables), sortStage({ _id: 1 }, 0, context)],
  $unwind: (spec) => [unwindStage(spec)],
  $lookup: (spec, context) => [lookupStage(spec, context, runOn(context))],
  $unionWith: (spec, context) => [unionStage(spec, context, runOn(context))],
  $facet: (spec, context) => [
    facetStage(spec, (pipeline) => compileStages(parsePipeline(pipeline), context), context.pace),
  ],
};

for (const name of [
  '$bucketAuto',
  '$setWindowFields',
  '$densify',
  '$fill',
  '$graphLookup',
  '$sample',
  '$redact',
])
  compilers[name] = (spec, context) => [
    collectingStage(name, spec, (other) => readMatching(other, {}, context)),
  ];

const searching = 'Using $search and $vectorSearch aggregation stages requires additional configuration';
const notSupported = 'the <stage> stage is not supported';
const refusals: [code: number, message: string, names: string[]][] = [
  [40601, '<stage> can only be the final stage in the pipeline', ['$out', '$merge']],
  [
    40573,
    'The <stage> stage is only supported on replica sets',
    ['$changeStream', '$changeStreamSplitLargeEvent'],
  ],
  [31082, searching, ['$search', '$searchMeta', '$vectorSearch', '$listSearchIndexes', '$rankFusion']],
  [238, notSupported, ['$collStats', '$currentOp', '$geoNear', '$indexStats', '$planCacheStats']],
  [238, notSupported, ['$listLocalSessions', '$listSessions', '$listClusterCatalog', '$querySettings']],
  [40324, "Unrecognized pipeline stage name: '<stage>'", []],
];

function refusal(stage: string): CommandError {
  const [code, message] = refusals.find(([, , names]) => names.includes(stage)) ?? refusals.at(-1) ?? [1, ''];
  return new CommandError(
    code,
    message.replace('<stage>', () => stage),
  );
}

function compileStages(pipeline: readonly Document[], context: StageContext): Stage[] {
  return pipeline.flatMap((stage, i) => {
    const [name = ''] = Object.keys(stage);
    const change = compileDocumentStage(name, stage[name], context.variables);
    if (change) return [eachBatch((batch) => batch.map(change))];
    if (!Object.hasOwn(compilers, name)) throw refusal(name);
    return (compilers[name] as CompileStages)(stage[name], context, pipeline[i + 1]);
  });
}

/** Splits off the leading stages that a query can do: filter, order, skip and limit. */
function splitLeading(pipeline: readonly Document[]): { selection: DocumentQuery; rest: Document[] } {
  const matches: Document[] = [];
  const selection: DocumentQuery = { filter: {} };
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

/** True when a pipeline consists of nothing but what a query can do, so that stored bytes can be sent as they are. */
export function asSelection(pipeline: readonly Document[]): DocumentQuery | null {
  const { selection, rest } = splitLeading(pipeline);
  return rest.length === 0 ? selection : null;
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
  if (!collection) {
    yield* pipe(inOneBatch([]), stages, pace);
    return;
  }
  const whole = { ...selection, collation, variables, ...(hint === undefined ? {} : { hint }) };
  const selected = new Selected(store.database, collection, whole);
  const counted = rest[0] ? countingStage(rest[0]) : null;
  const count = counted && selected.countQuickly();
  if (counted && count !== null) yield* pipe(inOneBatch(counted(count)), stages.slice(1), pace);
  else yield* pipe(decoded(selected, neededFields(rest), context), stages, pace);
}

async function* decoded(
  selected: Selected,
  wanted: ReadonlySet<string> | null,
  { pace }: StageContext,
): AsyncGenerator<Document[]> {
  for await (const matches of selected.paced(pace))
    yield matches.map(({ body }) => (wanted?.size === 0 ? {} : decode(body, wanted, 'plain')));
}

async function* inOneBatch(documents: Document[]): AsyncGenerator<Document[]> {
  yield documents;
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
  yield* pipe(inOneBatch(documents), stages, context.pace);
}
