import { ObjectId } from 'bson';
import { compilePipelineUpdate } from '../aggregate/document-stages.ts';
import { CommandError, failedToParse } from '../errors.ts';
import type { FilterContext } from '../query/filter.ts';
import { matchedPosition } from '../query/position.ts';
import { equalValues } from '../value/compare.ts';
import { inOrder, needsOrder } from '../value/ordered.ts';
import { type Document, expectDocument } from '../value/types.ts';
import { compileArrayFilters } from './array-filters.ts';
import { compileModifier } from './operators.ts';
import { documentFromFilter } from './upsert.ts';
import type { Positions } from './walk.ts';

export type UpdateOptions = FilterContext & { filter: Document; arrayFilters?: unknown; multi: boolean };

/** A compiled update: how an existing document changes, and what an upsert inserts. */
export type Update = {
  apply(document: Document): Document;
  insert(): Document;
};

/** Compiles operators, a replacement, or a pipeline. */
export function compileUpdate(source: unknown, options: UpdateOptions): Update {
  if (Array.isArray(source)) return fromPipeline(source, options);
  const update = expectDocument(source, 9, 'Update argument must be either an object or an array');
  if (Object.keys(update)[0]?.startsWith('$')) return fromOperators(update, options);
  if (options.multi) throw failedToParse('multi update is not supported for replacement-style update');
  if (options.arrayFilters !== undefined)
    throw failedToParse('arrayFilters may not be specified for replacement-style updates');
  return fromReplacement(update, options);
}

function fromOperators(update: Document, options: UpdateOptions): Update {
  const modifier = compileModifier(update, options);
  const filters = compileArrayFilters(options.arrayFilters, update, options);
  // `$` is the element that matched before anything is changed.
  const positions = (document: Document): Positions => ({
    filters,
    matched: (path) => matchedPosition(options.filter, document, path, options),
  });
  return {
    apply: (document) => keepId(modifier(document, positions(document), false), document._id),
    insert() {
      const start = documentFromFilter(options.filter);
      const document = modifier(start, positions(start), true);
      return withId(start._id === undefined ? document : keepId(document, start._id));
    },
  };
}

const immutable = (message: string): CommandError => new CommandError(66, message);

function keepId(document: Document, id: unknown): Document {
  if (document._id !== undefined && equalValues(document._id, id)) return document;
  throw immutable("Performing an update on the path '_id' would modify the immutable field '_id'");
}

/** The document with an `_id` in front: the given one, its own (which may be null), or a new one. */
function withId(document: Document, given: unknown = document._id): Document {
  const { _id, ...rest } = document;
  const id = given === undefined ? new ObjectId() : given;
  const copy = { _id: id, ...rest };
  return needsOrder(document) ? inOrder([...new Set(['_id', ...Object.keys(document)])], copy) : copy;
}

function fromReplacement(replacement: Document, options: UpdateOptions): Update {
  const dollar = Object.keys(replacement).find((key) => key.startsWith('$'));
  if (dollar) {
    throw new CommandError(
      52,
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    );
  }
  const withOldId = (id: unknown): Document => {
    if (replacement._id !== undefined && !equalValues(replacement._id, id))
      throw immutable(
        "After applying the update, the (immutable) field '_id' was found to have been altered",
      );
    return withId(replacement, id);
  };
  return {
    apply: (document) => withOldId(document._id),
    insert() {
      const { _id } = documentFromFilter(options.filter);
      return _id === undefined ? withId(replacement) : withOldId(_id);
    },
  };
}

function fromPipeline(stages: unknown[], options: UpdateOptions): Update {
  const transform = compilePipelineUpdate(stages, options.variables);
  const changed = (document: Document): Document => {
    const result = transform(document);
    return '_id' in result || document._id === undefined ? result : withId(result, document._id);
  };
  return {
    apply: (document) => keepId(changed(document), document._id),
    insert() {
      const start = documentFromFilter(options.filter);
      const result = changed(start);
      return withId(start._id === undefined ? result : keepId(result, start._id));
    },
  };
}
