import { CommandError } from '../../errors.ts';
import { field, isArrayIndex, type Path } from '../../query/path.ts';
import { encodeKey } from '../../value/key-encoding.ts';
import { type Document, emptyArray, isDocument } from '../../value/types.ts';
import type { Index } from './index-spec.ts';

/** The keys under which a document stands in an index, and what they teach about the index. */
export type IndexKeys = { keys: Buffer[]; multikey: boolean; lossy: boolean };

const none: IndexKeys = { keys: [], multikey: false, lossy: false };

/** How far a path has been followed: `left` are the parts to come, null once the value is final. */
type Step = { value: unknown; left: Path | null };

/** Computes a document's keys in one index; none when the index is sparse or partial and passes it over. */
export function indexKeys(index: Index, document: Document): IndexKeys {
  if (index.partial && !index.partial.test(document)) return none;
  const steps = index.paths.map((path) => descend({ value: document, left: path }));
  const multikey = steps.some(isAtArray);
  const rows = multikey ? expand(index, steps) : [steps.map(({ value }) => value)];
  if (index.sparse && rows.every((row) => row.every((value) => value === undefined))) return none;
  return multikey ? distinctKeys(index, rows) : singleKey(index, rows[0] ?? []);
}

function singleKey(index: Index, row: unknown[]): IndexKeys {
  const { bytes, lossy } = encodeKey(row, index.descending, index.collation?.fold);
  return { keys: [bytes], multikey: false, lossy };
}

function distinctKeys(index: Index, rows: unknown[][]): IndexKeys {
  const seen = new Set<string>();
  const keys: Buffer[] = [];
  let lossy = false;
  for (const row of rows) {
    const encoded = encodeKey(row, index.descending, index.collation?.fold);
    const name = encoded.bytes.toString('latin1');
    if (encoded.lossy) lossy = true;
    if (seen.has(name)) continue;
    seen.add(name);
    keys.push(encoded.bytes);
  }
  return { keys, multikey: true, lossy };
}

/** Follows a path through embedded documents, up to its end or to the next array. */
function descend({ value, left }: Step): Step {
  if (left === null) return { value, left };
  let at = 0;
  let reached = value;
  for (; at < left.length && isDocument(reached); at++) reached = field(reached, left[at] as string);
  if (Array.isArray(reached)) return { value: reached, left: left.slice(at) };
  return { value: at === left.length ? reached : undefined, left: null };
}

const isAtArray = ({ left }: Step): boolean => left !== null;

/** One row of values per element of the array that some paths have reached; two different arrays are refused. */
function expand(index: Index, steps: Step[]): unknown[][] {
  const array = steps.find(isAtArray)?.value;
  if (!Array.isArray(array)) return [steps.map(({ value }) => value)];
  if (steps.some((step) => isAtArray(step) && step.value !== array)) throw parallelArrays(index, steps);
  const fixed = steps.map((step) => (isAtArray(step) ? position(array, step.left ?? []) : step));
  if (fixed.every((step) => step !== null)) return expand(index, fixed.map(descend));
  const elements: unknown[] = array.length === 0 ? [emptyArray] : array;
  return elements.flatMap((element) =>
    expand(
      index,
      fixed.map((step, i) => descend(step ?? enter(element, steps[i]?.left ?? []))),
    ),
  );
}

/** The element that a path such as "a.0" names; null when the path means all of them. */
function position(array: unknown[], left: Path): Step | null {
  const [part, ...rest] = left;
  if (part === undefined || !isArrayIndex(part) || Number(part) >= array.length) return null;
  if (array.some((element) => isDocument(element) && Object.hasOwn(element, part))) {
    throw new CommandError(
      16746,
      `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${part}'`,
    );
  }
  const value = array[Number(part)];
  return { value, left: rest };
}

/** Goes on inside an element; an array in an array is a value, and nothing but a document has fields. */
function enter(element: unknown, left: Path): Step {
  if (left.length === 0) return { value: element, left: null };
  return isDocument(element) ? { value: element, left } : { value: undefined, left: null };
}

function parallelArrays(index: Index, steps: Step[]): CommandError {
  const names = index.names.filter((_, i) => steps[i] && isAtArray(steps[i]));
  const list = names.map((name) => `[${name.split('.').at(-1)}]`).join(' ');
  return new CommandError(171, `cannot index parallel arrays ${list}`);
}
