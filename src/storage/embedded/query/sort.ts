import { badValue, CommandError } from '../errors.ts';
import { compareValues, type Fold } from '../value/compare.ts';
import { asNumber, type Document, emptyArray, expectDocument, isDocument } from '../value/types.ts';
import { collectValues, type Path, parsePath } from './path.ts';

/** One field of a sort order. */
export type SortField = { path: string; descending: boolean };

/** Parses a sort document; `$meta` sorts are refused. */
export function parseSort(sort: unknown): SortField[] {
  if (sort === undefined || sort === null) return [];
  return Object.entries(expectDocument(sort, 14, "Expected field 'sort' to be of type object")).map(
    ([path, direction]) => {
      const number = asNumber(direction);
      if (number !== 1 && number !== -1) {
        throw isDocument(direction)
          ? badValue('$meta sort is not supported')
          : new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
      }
      if (path === '' || (path.startsWith('$') && path !== '$natural')) {
        throw new CommandError(16410, `FieldPath field names may not start with '$', given '${path}'.`);
      }
      return { path, descending: number < 0 };
    },
  );
}

export type KeyReader = (document: Document) => unknown[];
export type KeyComparator = (left: unknown[], right: unknown[]) => number;

/** Reads the values that a document sorts by: of an array the least, or the greatest when descending. */
export function keyReader(sort: readonly SortField[], fold?: Fold): KeyReader {
  const fields = sort.map(({ path, descending }) => ({ parts: parsePath(path), descending }));
  return (document) => fields.map(({ parts, descending }) => sortValue(document, parts, descending, fold));
}

function sortValue(document: Document, path: Path, descending: boolean, fold?: Fold): unknown {
  const values: unknown[] = [];
  const isArray = collectValues(document, path, 0, emptyArray, values);
  if (!isArray || values.length < 2) return values[0];
  return values.reduce((best, value) => {
    const difference = compareValues(value, best, fold);
    return (descending ? difference > 0 : difference < 0) ? value : best;
  });
}

export function keyComparator(sort: readonly SortField[], fold?: Fold): KeyComparator {
  const signs = sort.map(({ descending }) => (descending ? -1 : 1));
  return (left, right) => {
    for (let i = 0; i < signs.length; i++) {
      const difference = compareValues(left[i], right[i], fold);
      if (difference !== 0) return difference * (signs[i] as number);
    }
    return 0;
  };
}
