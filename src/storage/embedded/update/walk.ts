import { badValue, CommandError } from '../errors.ts';
import { field, isArrayIndex } from '../query/path.ts';
import { withField, withoutField } from '../value/ordered.ts';
import { type Document, isDocument, typeName } from '../value/types.ts';

/** What a change gives back to take its field away. */
export const removed: unique symbol = Symbol('removed');

/** Gives the new value of a field; undefined stands for a missing field, and as a result for "leave it alone". */
export type FieldChange = (value: unknown, path: string) => unknown;

/** What happens at the end of a path. `creates`: also where there is no such field yet. */
export type Edit = { change: FieldChange; creates: boolean };

/** What the positional parts of a path stand for. */
export type Positions = {
  /** The element that the filter matched, for `$`; null when it matched none. */
  matched: (arrayPath: string) => number | null;
  /** The array filters by their names. */
  filters: ReadonlyMap<string, (element: unknown) => boolean>;
};

/** True for `$`, `$[]` and `$[name]`. */
export const isPositional = (part: string): boolean => /^\$(\[\w*\])?$/.test(part);

/**
 * A copy of the document in which what the path reaches has been edited. What is not on the path is shared; `own` are
 * the copies that one update has made, which are changed where they are instead of being copied again.
 */
export function editAt(
  document: Document,
  parts: readonly string[],
  edit: Edit,
  positions: Positions,
  own: WeakSet<object>,
): Document {
  const lastPositional = parts.findLastIndex(isPositional);
  return walk(document, 0, '') as Document;

  function walk(value: unknown, depth: number, place: string): unknown {
    const part = parts[depth];
    if (part !== undefined && isPositional(part)) {
      return withElements(value, elementsFor(part, place, value, positions), depth, place);
    }
    if (depth < lastPositional && !isContainer(value, part)) throw mustExist(place);
    if (value === undefined && !edit.creates) return undefined;
    if (part === undefined) return edit.change(value, place);
    if (value === undefined || isDocument(value)) return withChild(value ?? {}, part, depth, place);
    if (Array.isArray(value) && isArrayIndex(part)) return withElements(value, [Number(part)], depth, place);
    if (!edit.creates) return value;
    const parent = parts[depth - 1] ?? '';
    throw new CommandError(28, `Cannot create field '${part}' in element {${parent}: ${describe(value)}}`);
  }

  function withChild(container: Document, part: string, depth: number, place: string): Document {
    const before = field(container, part);
    const after = walk(before, depth + 1, place === '' ? part : `${place}.${part}`);
    if (after === undefined || after === before) return container;
    if (own.has(container) && changedInPlace(container, part, after)) return container;
    const copy = after === removed ? withoutField(container, part) : withField(container, part, after);
    own.add(copy);
    return copy;
  }

  function withElements(value: unknown, indexes: number[], depth: number, place: string): unknown[] {
    const array = own.has(value as unknown[]) ? (value as unknown[]) : [...(value as unknown[])];
    own.add(array);
    for (const index of indexes) {
      const after = walk(array[index], depth + 1, `${place}.${index}`);
      if (after === undefined) continue;
      pad(array, index);
      array[index] = after === removed ? null : after;
    }
    return array;
  }
}

/** Changes a field of a document that nobody else has; false when that would bring its fields out of order. */
function changedInPlace(document: Document, name: string, value: unknown): boolean {
  if (name === '__proto__' || isArrayIndex(name)) return false;
  if (value === removed) delete document[name];
  else document[name] = value;
  return true;
}

const isContainer = (value: unknown, part: string | undefined): boolean =>
  isDocument(value) || (Array.isArray(value) && part !== undefined && isArrayIndex(part));

const mustExist = (place: string): CommandError =>
  badValue(`The path '${place}' must exist in the document in order to apply array updates.`);

const describe = (value: unknown): string =>
  Array.isArray(value) ? '[...]' : value === null ? 'null' : JSON.stringify(String(value));

/** Arrays may be padded by one statement, but not without bound. */
const longestPadding = 1_500_000;

function pad(array: unknown[], index: number): void {
  if (index - array.length > longestPadding)
    throw badValue(`can't backfill more than ${longestPadding} elements`);
  while (array.length < index) array.push(null);
}

function elementsFor(part: string, place: string, value: unknown, positions: Positions): number[] {
  if (part === '$') {
    const index = positions.matched(place);
    if (index === null)
      throw badValue('The positional operator did not find the match needed from the query.');
    return [index];
  }
  if (!Array.isArray(value)) {
    if (value === undefined) throw mustExist(place);
    throw badValue(`Cannot apply array updates to non-array element ${place}: ${typeName(value)}`);
  }
  const name = part.slice(2, -1);
  const test = name === '' ? () => true : positions.filters.get(name);
  if (!test) throw badValue(`No array filter found for identifier '${name}' in path '${place}.${part}'`);
  return value.flatMap((element, index) => (test(element) ? [index] : []));
}
