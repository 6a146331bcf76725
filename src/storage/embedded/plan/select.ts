import { decode } from '../bson/decode.ts';
import type { Pace } from '../pace.ts';
import { compileFilter, type Filter } from '../query/filter.ts';
import { keyReader } from '../query/sort.ts';
import type { Collection } from '../store/collection.ts';
import type { Database } from '../store/file/database.ts';
import type { Document } from '../value/types.ts';
import type { DocumentQuery } from './document-query.ts';
import { type AccessPath, countIntervals, FEW_DOCUMENTS, type IndexPlan, plan } from './planner.ts';
import { type StoredDocument, scan } from './scanner.ts';
import { Sorter } from './sorter.ts';

/** A row that matched, with the fields that were decoded to find out. */
export type Match = StoredDocument & { document: Document | null };

const firstChunk = 64;
const largestChunk = 512;

/** Entries of an index that a plan reads, counted up to a number; an interval without any counts as one, since it is looked at. */
function countEntries(database: Database, { index, intervals }: IndexPlan, most: number): number {
  const sql = 'SELECT count(*) FROM (SELECT 1 FROM entries WHERE idx = ? AND key >= ? AND key < ? LIMIT ?)';
  let count = 0;
  for (const { low, high } of intervals) {
    count += Math.max(1, database.all<[number]>(sql, index.id, low, high, most - count)[0]?.[0] ?? 0);
    if (count >= most) break;
  }
  return count;
}

/** A selection that is ready to run: its filter compiled, its access path chosen. */
export class Selected {
  readonly filter: Filter;
  readonly plan: AccessPath;
  readonly #database: Database;
  readonly #collection: Collection;
  readonly #selection: DocumentQuery;

  constructor(database: Database, collection: Collection, selection: DocumentQuery) {
    this.#database = database;
    this.#collection = collection;
    this.#selection = selection;
    const { variables, collation } = selection;
    this.filter = compileFilter(selection.filter, { variables, fold: collation?.fold });
    this.plan = plan(collection, selection, (path, most) => countEntries(database, path, most));
  }

  /** True when many documents will be looked at, as far as the plan can tell. */
  get long(): boolean {
    const { limit = 0, skip = 0 } = this.#selection;
    const short = limit > 0 && limit + skip <= FEW_DOCUMENTS;
    const { plan: path } = this;
    // An expression may take any time for one document, and the writer has none to spare.
    if (this.filter.fields === null || countIntervals(path) > FEW_DOCUMENTS) return true;
    if (this.#collection.count <= FEW_DOCUMENTS || path.kind === 'union') return false;
    return path.kind === 'scan' ? !(path.exact && path.sorted && short) : !path.bounded && !short;
  }

  /** The top-level fields to decode: null for all, an empty set for none. */
  #wanted(): Set<string> | null {
    const { exact, sorted } = this.plan;
    const { fields } = this.filter;
    if (!exact && fields === null) return null;
    const wanted = new Set(exact ? [] : fields);
    if (!sorted) for (const { path } of this.#selection.sort ?? []) wanted.add(path.split('.')[0] as string);
    return wanted;
  }

  /**
   * The matches as the scan meets them. A chunk is a bounded piece of work, so that the caller can let others run in
   * between; it may be empty without being the last.
   */
  *#stream(expected: number): Generator<Match[]> {
    const test = this.plan.exact ? null : this.filter.test;
    const wanted = this.#wanted();
    const decodes = test !== null || wanted === null || wanted.size > 0;
    let next = test === null && expected > 0 ? Math.min(expected, largestChunk) : firstChunk;
    const size = (): number => {
      const current = next;
      next = Math.min(next * 2, largestChunk);
      return current;
    };
    for (const rows of scan(this.#database, this.#collection, this.plan, size)) {
      const matches: Match[] = [];
      for (const { record, body } of rows) {
        const document = decodes ? decode(body, wanted) : null;
        if (test === null || test(document ?? {})) matches.push({ record, body, document });
      }
      yield matches;
    }
  }

  /** All matches in the wanted order, without skip and limit applied to a scan that is already sorted. */
  *#ordered(): Generator<Match[]> {
    const { sort = [], skip = 0, limit = 0, collation } = this.#selection;
    const needed = limit > 0 ? skip + limit : 0;
    if (this.plan.sorted) {
      yield* this.#stream(needed);
      return;
    }
    const sorter = new Sorter<Match>(sort, needed, collation?.fold);
    const readKey = keyReader(sort, collation?.fold);
    try {
      for (const chunk of this.#stream(0)) {
        for (const match of chunk) sorter.add(readKey(match.document ?? {}), match, match.body.length + 100);
        yield [];
      }
      yield* sorter.batches();
    } finally {
      sorter.release();
    }
  }

  /** The matches with sort, skip and limit applied, all at once; for statements inside a transaction. */
  *chunks(): Generator<Match[]> {
    const { skip = 0, limit = 0 } = this.#selection;
    let toSkip = skip;
    let left = limit > 0 ? limit : Number.POSITIVE_INFINITY;
    for (const chunk of this.#ordered()) {
      const from = Math.min(toSkip, chunk.length);
      toSkip -= from;
      const part = from === 0 && chunk.length <= left ? chunk : chunk.slice(from, from + left);
      left -= part.length;
      yield part;
      if (left <= 0) return;
    }
  }

  /** The number of matches when it can be told without reading documents; null otherwise. */
  countQuickly(): number | null {
    const { plan: path } = this;
    const { skip = 0, limit = 0 } = this.#selection;
    if (!path.exact || (path.kind === 'index' && path.index.multikey)) return null;
    if (countIntervals(path) > FEW_DOCUMENTS) return null;
    let count = this.#collection.count;
    if (path.kind === 'index') {
      const sql = 'SELECT count(*) FROM entries WHERE idx = ? AND key >= ? AND key < ?';
      count = 0;
      for (const { low, high } of path.intervals) {
        count += this.#database.all<[number]>(sql, path.index.id, low, high)[0]?.[0] ?? 0;
      }
    }
    const left = Math.max(0, count - skip);
    return limit > 0 ? Math.min(left, limit) : left;
  }

  /** The same, letting other commands run in between. */
  async *paced(pace: Pace): AsyncGenerator<Match[]> {
    for (const chunk of this.chunks()) {
      if (chunk.length > 0) yield chunk;
      if (pace.tired) await pace.rest();
    }
  }
}
