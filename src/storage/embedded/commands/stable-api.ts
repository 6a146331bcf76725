import { CommandError } from '../errors.ts';
import { type Document, isDocument } from '../value/types.ts';

/** The commands of MongoDB's Stable API, version 1; with `apiStrict` a client asks to be refused all others. */
const stableCommands = new Set(
  `abortTransaction aggregate authenticate bulkWrite collMod commitTransaction count create createIndexes delete drop
  dropDatabase dropIndexes endSessions explain find findAndModify getMore hello insert killCursors listCollections
  listDatabases listIndexes ping refreshSessions update`.split(/\s+/),
);

/** Stages that the Stable API leaves out. */
const unstableStages = new Set(
  `$collStats $currentOp $indexStats $listClusterCatalog $listLocalSessions $listSearchIndexes $listSessions
  $planCacheStats $querySettings $search $searchMeta $vectorSearch $rankFusion`.split(/\s+/),
);

/** Fields of a find that the Stable API leaves out. */
const unstableFields = [
  'awaitData',
  'max',
  'min',
  'noCursorTimeout',
  'returnKey',
  'showRecordId',
  'tailable',
];

const strictError = (message: string): CommandError => new CommandError(323, message);

/** Checks what a command says about the version of the API that its client was written for. */
export function checkApiVersion(name: string, body: Document): void {
  const { apiVersion, apiStrict, apiDeprecationErrors } = body;
  if (apiVersion === undefined) {
    if (apiStrict === undefined && apiDeprecationErrors === undefined) return;
    throw new CommandError(
      4886600,
      "Provided values for apiStrict or apiDeprecationErrors need an 'apiVersion' beside them",
    );
  }
  if (apiVersion !== '1') throw new CommandError(322, 'API version must be "1"');
  if (apiStrict === true) checkStable(name, body);
}

function checkStable(name: string, body: Document): void {
  if (!stableCommands.has(name)) {
    throw strictError(`Provided apiStrict:true, but the command ${name} is not in API Version 1`);
  }
  const field = name === 'find' ? unstableFields.find((known) => known in body) : undefined;
  if (field !== undefined) {
    throw strictError(`BSON field 'find.${field}' is not allowed with apiStrict:true.`);
  }
  if (name === 'aggregate') checkStages(body.pipeline);
}

/** Stages may hold pipelines of their own; what is no pipeline is refused where it is read. */
function checkStages(pipeline: unknown): void {
  if (!Array.isArray(pipeline)) return;
  for (const stage of pipeline) {
    if (!isDocument(stage)) continue;
    for (const [name, spec] of Object.entries(stage)) {
      if (unstableStages.has(name)) {
        throw strictError(`stage ${name} is not allowed with 'apiStrict: true' in API Version 1`);
      }
      if (!isDocument(spec)) continue;
      if (name === '$facet') Object.values(spec).forEach(checkStages);
      else checkStages(spec.pipeline);
    }
  }
}
