import { CommandError } from '../errors.ts';
import { collectValues } from '../query/path.ts';
import { encodeKey } from '../value/key-encoding.ts';
import { type Document, emptyArray } from '../value/types.ts';
import type { Index } from './index-spec.ts';

/** The keys under which a document stands in an index, and what they teach about the index. */
export type IndexKeys = { keys: Buffer[]; multikey: boolean; lossy: boolean };

const none: IndexKeys = { keys: [], multikey: false, lossy: false };

/** Computes a document's keys in one index; none when the index is sparse or partial and passes it over. */
export function indexKeys(index: Index, document: Document): IndexKeys {
  if (index.partial && !index.partial.test(document)) return none;
  const columns: unknown[][] = [];
  let multikey = false;
  let present = false;
  for (const path of index.paths) {
    const column: unknown[] = [];
    if (collectValues(document, path, 0, emptyArray, column)) multikey = true;
    if (column.length === 0) column.push(undefined);
    if (column.some((value) => value !== undefined)) present = true;
    columns.push(column);
  }
  if (index.sparse && !present) return none;
  return multikey ? multipleKeys(index, columns, document) : singleKey(index, columns);
}

function singleKey(index: Index, columns: unknown[][]): IndexKeys {
  const values = columns.map((column) => column[0]);
  const { bytes, lossy } = encodeKey(values, index.descending, index.collation?.fold);
  return { keys: [bytes], multikey: false, lossy };
}

/** One key per array element; columns under the same array are walked together, as its elements belong together. */
function multipleKeys(index: Index, columns: unknown[][], document: Document): IndexKeys {
  const rows = combine(index, columns, document);
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

function combine(index: Index, columns: unknown[][], document: Document): unknown[][] {
  const arrays = index.paths.filter((_, i) => (columns[i] as unknown[]).length > 1);
  const roots = new Set(arrays.map((path) => path[0]));
  if (roots.size > 1) {
    const names = [...roots].map((name) => `[${String(name)}]`).join(' ');
    throw new CommandError(171, `cannot index parallel arrays ${names}`);
  }
  const [root] = roots;
  const elements = root === undefined ? undefined : document[root];
  if (arrays.length < 2 || !Array.isArray(elements)) return product(columns);
  return elements.flatMap((element) => {
    const narrowed = { ...document, [root as string]: [element] };
    return product(
      index.paths.map((path) => {
        const column: unknown[] = [];
        collectValues(narrowed, path, 0, emptyArray, column);
        return column.length === 0 ? [undefined] : column;
      }),
    );
  });
}

function product(columns: unknown[][]): unknown[][] {
  return columns.reduce<unknown[][]>(
    (rows, column) => rows.flatMap((row) => column.map((value) => [...row, value])),
    [[]],
  );
}
