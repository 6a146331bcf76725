import { type Document, isDocument } from '../value/types.ts';

/** A dotted path cut at its dots. */
export type Path = readonly string[];

export const parsePath = (path: string): Path => path.split('.');

/** True for "0", "17": a part that can also mean a position in an array. */
export function isArrayIndex(part: string): boolean {
  return /^(0|[1-9]\d*)$/.test(part);
}

/** Own fields only: a path such as "constructor" must not see JavaScript's prototype. */
export function field(document: Document, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : undefined;
}

/**
 * Offers every value that a query path reaches to the test, until one passes: arrays on the way are entered, a final
 * array offers its elements (when `expand`) and then itself, and a missing field is offered as undefined.
 */
export function someValue(
  value: unknown,
  path: Path,
  depth: number,
  expand: boolean,
  test: (value: unknown) => boolean,
): boolean {
  if (depth === path.length) {
    if (expand && Array.isArray(value)) {
      for (const element of value) if (test(element)) return true;
    }
    return test(value);
  }
  const part = path[depth] as string;
  if (isDocument(value)) return someValue(field(value, part), path, depth + 1, expand, test);
  if (!Array.isArray(value)) return test(undefined);
  if (isArrayIndex(part)) {
    const index = Number(part);
    if (index < value.length && someValue(value[index], path, depth + 1, expand, test)) return true;
  }
  for (const element of value) {
    if (isDocument(element) && someValue(element, path, depth, expand, test)) return true;
  }
  return false;
}

/**
 * Every value a sort sees at a path: arrays give their elements, and what in an array has no such field counts as
 * missing. A number in the path that names an element means that element alone.
 */
export function collectValues(
  value: unknown,
  path: Path,
  depth: number,
  emptyArray: unknown,
  into: unknown[],
): boolean {
  if (depth === path.length) {
    if (!Array.isArray(value)) {
      into.push(value);
      return false;
    }
    if (value.length === 0) into.push(emptyArray);
    for (const element of value) into.push(element);
    return true;
  }
  const part = path[depth] as string;
  if (isDocument(value)) return collectValues(field(value, part), path, depth + 1, emptyArray, into);
  if (!Array.isArray(value)) {
    into.push(undefined);
    return false;
  }
  const positional = isArrayIndex(part) && Number(part) < value.length;
  if (positional) collectValues(value[Number(part)], path, depth + 1, emptyArray, into);
  for (const element of value) {
    if (isDocument(element) && (!positional || Object.hasOwn(element, part))) {
      collectValues(element, path, depth, emptyArray, into);
    } else if (!positional) into.push(undefined);
  }
  return true;
}
