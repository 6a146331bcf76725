import { type Document, isDocument } from '../value/types.ts';
import { compileOperators, type FilterContext } from './filter.ts';
import { normalise } from './operands.ts';
import { field, parsePath } from './path.ts';

/** The conditions of a filter that look into an array, those inside $and (and, failing these, $or) included. */
function conditionsOn(filter: Document, path: string): [string, Document][] {
  return Object.entries(filter).flatMap(([key, condition]): [string, Document][] => {
    if ((key === '$and' || key === '$or') && Array.isArray(condition)) {
      return condition.flatMap((clause) => conditionsOn(clause as Document, path));
    }
    return key === path || key.startsWith(`${path}.`) ? [[key, normalise(condition)]] : [];
  });
}

const inside = (value: unknown, part: string): unknown =>
  isDocument(value) ? field(value, part) : undefined;

/** A copy of the document in which the array at the path holds one element only. */
function withOnly(document: Document, [first = '', ...rest]: readonly string[], element: unknown): Document {
  const inner = inside(document, first);
  return {
    ...document,
    [first]: rest.length > 0 && isDocument(inner) ? withOnly(inner, rest, element) : [element],
  };
}

/**
 * Which element of an array made a filter match: the position that `$` stands for in updates and projections. With
 * several conditions on the array it is the first element that meets them all, or else the first that meets one.
 */
export function matchedPosition(
  filter: Document,
  document: Document,
  path: string,
  context: FilterContext,
): number | null {
  const parts = parsePath(path);
  const array = parts.reduce(inside, document);
  const tests = conditionsOn(filter, path).map(([key, operators]) =>
    compileOperators(parsePath(key), operators, context),
  );
  if (!Array.isArray(array) || tests.length === 0) return null;
  const first = (passes: (version: Document) => boolean): number =>
    array.findIndex((element) => passes(withOnly(document, parts, element)));
  const all = first((version) => tests.every((test) => test(version)));
  if (all >= 0) return all;
  const any = first((version) => tests.some((test) => test(version)));
  return any >= 0 ? any : null;
}
