import { decode } from '../bson/decode.ts';
import { CommandError } from '../errors.ts';
import { compileExpression, type Expression } from '../expression.ts';
import { collectValues } from '../query/path.ts';
import { Selected } from '../query/select.ts';
import { encodeKey } from '../value/key-encoding.ts';
import { type Document, isDocument } from '../value/types.ts';
import { replaceAt } from './basic-stages.ts';
import type { Stage, StageContext } from './stage.ts';

/** Runs a pipeline on a collection and collects its results. */
export type RunPipeline = (
  collection: string,
  pipeline: Document[],
  variables: Document,
) => Promise<Document[]>;

/** `$lookup` by equality, by pipeline, or both. An index on the foreign field makes each look-up cheap. */
export class LookupStage implements Stage {
  readonly #from: string;
  readonly #as: string[];
  readonly #equality: { local: string[]; foreign: string } | null;
  readonly #pipeline: Document[] | null;
  readonly #let: [string, Expression][];
  readonly #context: StageContext;
  readonly #run: RunPipeline;

  constructor(spec: unknown, context: StageContext, run: RunPipeline) {
    if (!isDocument(spec)) throw new CommandError(9, 'the $lookup specification must be an Object');
    const { from, as, localField, foreignField, pipeline } = spec;
    if (typeof as !== 'string') throw new CommandError(9, "must specify 'as' field for a $lookup");
    if (typeof from !== 'string')
      throw new CommandError(9, "missing 'from' option to $lookup stage specification");
    if ((localField === undefined) !== (foreignField === undefined)) {
      throw new CommandError(
        9,
        '$lookup requires both or neither of localField and foreignField to be specified',
      );
    }
    if (localField === undefined && pipeline === undefined) {
      throw new CommandError(
        9,
        "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
      );
    }
    this.#from = from;
    this.#as = as.split('.');
    this.#equality =
      localField === undefined
        ? null
        : { local: String(localField).split('.'), foreign: String(foreignField) };
    this.#pipeline = Array.isArray(pipeline) ? (pipeline as Document[]) : null;
    const variables = isDocument(spec.let) ? spec.let : {};
    this.#let = Object.entries(variables).map(([name, value]) => [
      name,
      compileExpression(value, context.variables),
    ]);
    this.#context = context;
    this.#run = run;
  }

  async push(batch: Document[]): Promise<Document[]> {
    const known = new Map<string, Document[]>();
    const result: Document[] = [];
    for (const document of batch) {
      const found = this.#pipeline
        ? await this.#throughPipeline(document, this.#pipeline)
        : this.#byEquality(document, known);
      result.push(replaceAt(document, this.#as, found));
      if (this.#context.pace.tired) await this.#context.pace.rest();
    }
    return result;
  }

  #filterFor(document: Document): Document {
    if (!this.#equality) return {};
    const values: unknown[] = [];
    collectValues(document, this.#equality.local, 0, null, values);
    const wanted = values.map((value) => value ?? null);
    return { [this.#equality.foreign]: wanted.length === 1 ? { $eq: wanted[0] } : { $in: wanted } };
  }

  #byEquality(document: Document, known: Map<string, Document[]>): Document[] {
    const filter = this.#filterFor(document);
    const key = encodeKey([filter], [false]).bytes.toString('latin1');
    const before = known.get(key);
    if (before) return before;
    const { store, database, collation } = this.#context;
    const collection = store.catalogue.find(database, this.#from);
    const found: Document[] = [];
    if (collection) {
      for (const chunk of new Selected(store.database, collection, { filter, collation }).chunks()) {
        for (const { body } of chunk) found.push(decode(body, null, 'plain'));
      }
    }
    known.set(key, found);
    return found;
  }

  #throughPipeline(document: Document, pipeline: Document[]): Promise<Document[]> {
    const variables = { ...this.#context.variables };
    for (const [name, expression] of this.#let) variables[name] = expression(document) ?? null;
    const stages = this.#equality ? [{ $match: this.#filterFor(document) }, ...pipeline] : pipeline;
    return this.#run(this.#from, stages, variables);
  }
}

/** `$unionWith`: the results of another pipeline follow after these. */
export class UnionStage implements Stage {
  readonly #collection: string;
  readonly #pipeline: Document[];
  readonly #context: StageContext;
  readonly #run: RunPipeline;

  constructor(spec: unknown, context: StageContext, run: RunPipeline) {
    const options: Document = typeof spec === 'string' ? { coll: spec } : isDocument(spec) ? spec : {};
    if (typeof options.coll !== 'string') throw new CommandError(9, '$unionWith needs a collection');
    this.#collection = options.coll;
    this.#pipeline = Array.isArray(options.pipeline) ? (options.pipeline as Document[]) : [];
    this.#context = context;
    this.#run = run;
  }

  push(batch: Document[]): Document[] {
    return batch;
  }

  finish(): Promise<Document[]> {
    return this.#run(this.#collection, this.#pipeline, this.#context.variables);
  }
}
