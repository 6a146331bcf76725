import { ObjectId } from 'bson';
import { compilePipelineUpdate } from '../aggregate/document-stages.ts';
import { badValue, CommandError, failedToParse } from '../errors.ts';
import { compileFilter, type FilterContext } from '../query/filter.ts';
import { matchedPosition } from '../query/position.ts';
import { equalValues } from '../value/compare.ts';
import { type Document, isDocument } from '../value/types.ts';
import { compileModifier, type Modifier } from './modifier.ts';
import type { Positions } from './slots.ts';
import { documentFromFilter } from './upsert.ts';

export type UpdateOptions = FilterContext & { filter: Document; arrayFilters?: unknown; multi: boolean };

/** A compiled update: how an existing document changes, and what an upsert inserts. */
export type Update = {
  apply(document: Document): Document;
  insert(): Document;
};

/** Compiles operators, a replacement, or a pipeline. */
export function compileUpdate(update: unknown, options: UpdateOptions): Update {
  if (Array.isArray(update)) return fromPipeline(update, options);
  if (!isDocument(update)) throw failedToParse('Update argument must be either an object or an array');
  const first = Object.keys(update)[0];
  if (first?.startsWith('$')) return fromOperators(update, options);
  if (options.multi) throw failedToParse('multi update is not supported for replacement-style update');
  if (options.arrayFilters !== undefined)
    throw failedToParse('arrayFilters may not be specified for replacement-style updates');
  return fromReplacement(update, options);
}

function fromOperators(update: Document, options: UpdateOptions): Update {
  const modifier: Modifier = compileModifier(update, options);
  const filters = compileArrayFilters(options.arrayFilters, update, options);
  const arrays = positionalArrays(update);
  // `$` is the element that matched before anything is changed, so it is looked up first.
  const positions = (document: Document): Positions => {
    const found = new Map(
      arrays.map((path) => [path, matchedPosition(options.filter, document, path, options)]),
    );
    return { filters, matched: (path) => found.get(path) ?? null };
  };
  return {
    apply(document) {
      const id = document._id;
      modifier(document, positions(document), false);
      return keepId(document, id);
    },
    insert() {
      const document = documentFromFilter(options.filter);
      const id = document._id;
      modifier(document, positions(document), true);
      if (id !== undefined) keepId(document, id);
      return withId(document);
    },
  };
}

/** The array paths that a `$` follows. */
function positionalArrays(update: Document): string[] {
  const paths = Object.values(update).flatMap((fields) => (isDocument(fields) ? Object.keys(fields) : []));
  return paths.flatMap((path) => {
    const parts = path.split('.');
    const at = parts.indexOf('$');
    return at > 0 ? [parts.slice(0, at).join('.')] : [];
  });
}

function keepId(document: Document, id: unknown): Document {
  if (!equalValues(document._id, id) || document._id === undefined) {
    throw new CommandError(
      66,
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    );
  }
  return document;
}

function withId(document: Document): Document {
  const { _id = new ObjectId(), ...rest } = document;
  return { _id, ...rest };
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
    if (replacement._id !== undefined && !equalValues(replacement._id, id)) {
      throw new CommandError(
        66,
        "After applying the update, the (immutable) field '_id' was found to have been altered",
      );
    }
    return { _id: id, ...omitId(replacement) };
  };
  return {
    apply: (document) => withOldId(document._id),
    insert() {
      const fromFilter = documentFromFilter(options.filter)._id;
      return fromFilter === undefined ? withId(replacement) : withOldId(fromFilter);
    },
  };
}

function omitId({ _id, ...rest }: Document): Document {
  return rest;
}

function fromPipeline(stages: unknown[], options: UpdateOptions): Update {
  const transform = compilePipelineUpdate(stages, options.variables);
  return {
    apply(document) {
      const result = transform(document);
      const next = '_id' in result ? result : { _id: document._id, ...result };
      return keepId(next, document._id);
    },
    insert() {
      const document = documentFromFilter(options.filter);
      const result = transform(document);
      return withId(
        document._id === undefined ? result : keepId({ _id: document._id, ...result }, document._id),
      );
    },
  };
}

function compileArrayFilters(
  given: unknown,
  update: Document,
  context: FilterContext,
): Map<string, (element: unknown) => boolean> {
  const result = new Map<string, (element: unknown) => boolean>();
  if (given === undefined || given === null) return result;
  if (!Array.isArray(given)) throw badValue('arrayFilters must be an array');
  for (const item of given) {
    if (!isDocument(item)) throw badValue('arrayFilters must be an array of objects');
    const name = filterName(item);
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      throw badValue(
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    if (result.has(name))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${name}`);
    const { test } = compileFilter(item, context);
    result.set(name, (element) => test({ [name]: element }));
  }
  const text = Object.values(update).flatMap((fields) => (isDocument(fields) ? Object.keys(fields) : []));
  for (const name of result.keys()) {
    if (!text.some((path) => path.includes(`$[${name}]`))) {
      throw failedToParse(
        `The array filter for identifier '${name}' was not used in the update ${JSON.stringify(Object.keys(update))}`,
      );
    }
  }
  return result;
}

/** The name that all conditions of an array filter begin with. */
function filterName(filter: Document): string {
  const names = new Set<string>();
  for (const [key, condition] of Object.entries(filter)) {
    if (key.startsWith('$') && Array.isArray(condition))
      for (const clause of condition) names.add(filterName(clause as Document));
    else names.add(key.split('.')[0] as string);
  }
  const [name] = names;
  if (name === undefined)
    throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
  if (names.size > 1)
    throw failedToParse('Error parsing array filter :: caused by :: Expected a single top-level field name');
  return name;
}
