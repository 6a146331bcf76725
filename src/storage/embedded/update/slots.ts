import { badValue, CommandError } from '../errors.ts';
import { isArrayIndex } from '../query/path.ts';
import { type Document, isDocument, typeName } from '../value/types.ts';

/** A place in a document, reached by a path without positional operators. */
export type Slot = {
  value: unknown;
  set(value: unknown): void;
  /** Takes a field out of its document; an array element becomes null. */
  unset(): void;
};

export type ConcretePath = readonly string[];

/** What the positional parts of a path stand for. */
export type Positions = {
  /** The element that the filter matched, for `$`; null when it matched none. */
  matched: (arrayPath: string) => number | null;
  /** The array filters by their names. */
  filters: ReadonlyMap<string, (element: unknown) => boolean>;
};

/** Replaces `$`, `$[]` and `$[name]` by positions, so that one path may become several. */
export function expandPath(
  document: Document,
  parts: readonly string[],
  positions: Positions,
): ConcretePath[] {
  let paths: { path: string[]; value: unknown }[] = [{ path: [], value: document }];
  for (const part of parts) {
    if (!part.startsWith('$')) {
      paths = paths.map(({ path, value }) => ({ path: [...path, part], value: child(value, part) }));
      continue;
    }
    paths = paths.flatMap(({ path, value }) => {
      const place = path.join('.');
      return elementsFor(part, place, value, positions).map((index) => ({
        path: [...path, String(index)],
        value: (value as unknown[])[index],
      }));
    });
  }
  return paths.map(({ path }) => path);
}

function elementsFor(part: string, place: string, value: unknown, positions: Positions): number[] {
  if (part === '$') {
    const index = positions.matched(place);
    if (index === null)
      throw badValue('The positional operator did not find the match needed from the query.');
    return [index];
  }
  if (!Array.isArray(value)) {
    throw badValue(
      value === undefined
        ? `The path '${place}' must exist in the document in order to apply array updates.`
        : `Cannot apply array updates to non-array element ${place}: ${typeName(value)}`,
    );
  }
  const name = part.slice(2, -1);
  if (name === '') return value.map((_, index) => index);
  const test = positions.filters.get(name);
  if (!test) throw badValue(`No array filter found for identifier '${name}' in path '${place}.${part}'`);
  return value.flatMap((element, index) => (test(element) ? [index] : []));
}

function child(value: unknown, part: string): unknown {
  if (isDocument(value)) return Object.hasOwn(value, part) ? value[part] : undefined;
  return Array.isArray(value) && isArrayIndex(part) ? value[Number(part)] : undefined;
}

/** The slot at a path; missing documents on the way are made when `create` is set, else the slot is null. */
export function findSlot(document: Document, path: ConcretePath, create: boolean): Slot | null {
  let container: unknown = document;
  for (const [depth, part] of path.slice(0, -1).entries()) {
    let next = child(container, part);
    if (next === undefined) {
      if (!create) return null;
      next = {};
      slotIn(container, part, path, depth).set(next);
    }
    container = next;
  }
  const last = path.at(-1) as string;
  if (!create && child(container, last) === undefined) return null;
  return slotIn(container, last, path, path.length - 1);
}

function slotIn(container: unknown, part: string, path: ConcretePath, depth: number): Slot {
  if (isDocument(container)) return fieldSlot(container, part);
  if (Array.isArray(container) && isArrayIndex(part)) return elementSlot(container, Number(part));
  const parent = path[depth - 1] ?? '';
  throw new CommandError(28, `Cannot create field '${part}' in element {${parent}: ${describe(container)}}`);
}

const describe = (value: unknown): string =>
  Array.isArray(value) ? '[...]' : value === null ? 'null' : JSON.stringify(String(value));

function fieldSlot(container: Document, name: string): Slot {
  return {
    value: Object.hasOwn(container, name) ? container[name] : undefined,
    set(value) {
      if (name === '__proto__') {
        Object.defineProperty(container, name, {
          value,
          enumerable: true,
          writable: true,
          configurable: true,
        });
      } else container[name] = value;
    },
    unset() {
      delete container[name];
    },
  };
}

/** Arrays may be padded by one statement, but not without bound. */
const longestPadding = 1_500_000;

function elementSlot(container: unknown[], index: number): Slot {
  return {
    value: container[index],
    set(value) {
      if (index - container.length > longestPadding)
        throw badValue(`can't backfill more than ${longestPadding} elements`);
      while (container.length < index) container.push(null);
      container[index] = value;
    },
    unset() {
      if (index < container.length) container[index] = null;
    },
  };
}
