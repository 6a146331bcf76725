import { decode } from '../bson/decode.ts';
import { CommandError } from '../errors.ts';
import { compileExpression } from '../expression/expression.ts';
import { checkFields, fieldTable } from '../fields.ts';
import { memoryExceeded, memoryLimit } from '../memory.ts';
import { Selected } from '../plan/select.ts';
import { collectValues } from '../query/path.ts';
import { equalityKey } from '../value/key-encoding.ts';
import { withValueAt } from '../value/ordered.ts';
import { type Document, expectDocument, isDocument } from '../value/types.ts';
import type { Batches, Stage, StageContext } from './stage.ts';

/** Runs a pipeline on a collection. */
export type RunPipeline = (name: string, pipeline: unknown, variables: Document) => Batches;

/** The documents of a collection that match, with plain numbers and all at once. */
export function readMatching(name: string, filter: Document, context: StageContext): Document[] {
  const { store, database, collation } = context;
  const collection = store.catalogue.find(database, name);
  const documents: Document[] = [];
  if (!collection) return documents;
  let size = 0;
  for (const chunk of new Selected(store.database, collection, { filter, collation }).chunks()) {
    for (const { body } of chunk) {
      size += body.length;
      if (size > memoryLimit) throw memoryExceeded(`Reading ${name}`);
      documents.push(decode(body, null, 'plain'));
    }
  }
  return documents;
}

/** `$lookup` by equality, by pipeline, or both. An index on the foreign field makes each look-up cheap. */
export function lookupStage(source: unknown, context: StageContext, run: RunPipeline): Stage {
  const spec = expectDocument(source, 9, 'the $lookup specification must be an Object');
  const { from, as, localField, foreignField, pipeline, let: given = {}, ...others } = spec;
  const [unknown] = Object.keys(others);
  if (unknown) throw invalid(`unknown argument to $lookup: ${unknown}`);
  if (typeof as !== 'string') throw invalid("must specify 'as' field for a $lookup");
  if (typeof from !== 'string') throw invalid("missing 'from' option to $lookup stage specification");
  if ((localField === undefined) !== (foreignField === undefined))
    throw invalid('$lookup requires both or neither of localField and foreignField to be specified');
  if (localField === undefined && pipeline === undefined)
    throw invalid(
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    );
  const variables = Object.entries(expectDocument(given, 9, '$lookup argument let must be an object')).map(
    ([name, value]) => [name, compileExpression(value, context.variables)] as const,
  );

  const filterFor = (document: Document): Document =>
    localField === undefined ? {} : equalTo(document, String(localField).split('.'), String(foreignField));

  const throughPipeline = async (document: Document, stages: unknown[]): Promise<Document[]> => {
    const own = variables.map(([name, expression]) => [name, expression(document) ?? null]);
    const all = localField === undefined ? stages : [{ $match: filterFor(document) }, ...stages];
    const found: Document[] = [];
    for await (const batch of run(from, all, { ...context.variables, ...Object.fromEntries(own) }))
      for (const other of batch) found.push(other);
    return found;
  };

  return async function* (documents) {
    for await (const batch of documents) {
      const known = new Map<string | number, Document[]>();
      const byEquality = (document: Document): Document[] => {
        const filter = filterFor(document);
        const key = equalityKey(filter);
        const found = known.get(key) ?? readMatching(from, filter, context);
        known.set(key, found);
        return found;
      };
      const joined: Document[] = [];
      for (const document of batch) {
        const found = Array.isArray(pipeline)
          ? await throughPipeline(document, pipeline)
          : byEquality(document);
        joined.push(withValueAt(document, as.split('.'), found));
        if (context.pace.tired) await context.pace.rest();
      }
      yield joined;
    }
  };
}

const invalid = (message: string): CommandError => new CommandError(9, message);

function equalTo(document: Document, local: string[], foreign: string): Document {
  const values: unknown[] = [];
  collectValues(document, local, 0, null, values);
  const wanted = values.map((value) => value ?? null);
  return { [foreign]: wanted.length === 1 ? { $eq: wanted[0] } : { $in: wanted } };
}

const unionFields = fieldTable('coll:string pipeline:array');

/** `$unionWith`: the results of another pipeline follow after these. */
export function unionStage(spec: unknown, { variables }: StageContext, run: RunPipeline): Stage {
  const options: Document = isDocument(spec) ? spec : { coll: spec };
  checkFields('$unionWith', options, unionFields);
  const { coll, pipeline = [] } = options;
  if (typeof coll !== 'string') throw invalid('$unionWith needs a collection');
  return async function* (source) {
    yield* source;
    yield* run(coll, pipeline, variables);
  };
}
