import type { Collection } from '../store/collection.ts';
import { asBuffer, type Database, tableOf } from '../store/database.ts';
import type { Interval } from './bounds.ts';
import type { Plan } from './planner.ts';

/** A stored document as a scan meets it. */
export type Row = { record: number; body: Buffer };

/** Walks a plan piece by piece. Between two pieces nothing is held in SQLite, so a slow reader pins no snapshot. */
export interface Scanner {
  /** At most `limit` rows; null at the end. */
  next(limit: number): Row[] | null;
}

export function openScanner(database: Database, collection: Collection, plan: Plan): Scanner {
  if (plan.kind === 'scan') return new RecordScanner(database, collection, plan.reverse);
  if (plan.kind === 'union')
    return new UnionScanner(plan.plans.map((part) => openScanner(database, collection, part)));
  const scanner = new IndexScanner(database, collection, plan.index.id, plan.intervals, plan.reverse);
  return plan.index.multikey ? new UnionScanner([scanner]) : scanner;
}

class RecordScanner implements Scanner {
  readonly #database: Database;
  readonly #sql: string;
  #last: number;

  constructor(database: Database, collection: Collection, reverse: boolean) {
    this.#database = database;
    const [compare, direction] = reverse ? ['<', 'DESC'] : ['>', 'ASC'];
    this.#sql = `SELECT record, body FROM ${tableOf(collection)} WHERE record ${compare} ? ORDER BY record ${direction} LIMIT ?`;
    this.#last = reverse ? Number.MAX_SAFE_INTEGER : -1;
  }

  next(limit: number): Row[] | null {
    const rows = this.#database.all<[number, Uint8Array]>(this.#sql, this.#last, limit);
    const last = rows.at(-1);
    if (!last) return null;
    this.#last = last[0];
    return rows.map(([record, body]) => ({ record, body: asBuffer(body) }));
  }
}

const conditions = {
  forward: {
    start: 'e.key >= ? AND e.key < ? ORDER BY e.key, e.record',
    resume: '(e.key, e.record) > (?, ?) AND e.key < ? ORDER BY e.key, e.record',
  },
  backward: {
    start: 'e.key >= ? AND e.key < ? ORDER BY e.key DESC, e.record DESC',
    resume: 'e.key >= ? AND (e.key, e.record) < (?, ?) ORDER BY e.key DESC, e.record DESC',
  },
};

class IndexScanner implements Scanner {
  readonly #database: Database;
  readonly #select: string;
  readonly #index: number;
  readonly #intervals: Interval[];
  readonly #reverse: boolean;
  #position = 0;
  #last: { key: Uint8Array; record: number } | null = null;

  constructor(
    database: Database,
    collection: Collection,
    index: number,
    intervals: Interval[],
    reverse: boolean,
  ) {
    this.#database = database;
    this.#select = `SELECT e.key, e.record, d.body FROM entries e CROSS JOIN ${tableOf(collection)} d ON d.record = e.record`;
    this.#index = index;
    this.#intervals = reverse ? [...intervals].reverse() : intervals;
    this.#reverse = reverse;
  }

  next(limit: number): Row[] | null {
    for (let found: Row[] = []; ; ) {
      const interval = this.#intervals[this.#position];
      if (!interval) return found.length > 0 ? found : null;
      const rows = this.#read(interval, limit - found.length);
      const last = rows.at(-1);
      if (last) this.#last = { key: last[0], record: last[1] };
      const read = rows.map(([, record, body]) => ({ record, body: asBuffer(body) }));
      if (rows.length < limit - found.length) {
        this.#position += 1;
        this.#last = null;
      }
      found = found.length === 0 ? read : found.concat(read);
      if (found.length >= limit) return found;
    }
  }

  #read({ low, high }: Interval, limit: number): [Uint8Array, number, Uint8Array][] {
    const { start, resume } = this.#reverse ? conditions.backward : conditions.forward;
    const from = this.#last;
    const sql = `${this.#select} WHERE e.idx = ? AND ${from ? resume : start} LIMIT ?`;
    if (!from) return this.#database.all(sql, this.#index, low, high, limit);
    return this.#reverse
      ? this.#database.all(sql, this.#index, low, from.key, from.record, limit)
      : this.#database.all(sql, this.#index, from.key, from.record, high, limit);
  }
}

/** Several scans one after the other, each document once. */
class UnionScanner implements Scanner {
  readonly #scanners: Scanner[];
  readonly #seen = new Set<number>();

  constructor(scanners: Scanner[]) {
    this.#scanners = scanners;
  }

  next(limit: number): Row[] | null {
    for (;;) {
      const scanner = this.#scanners[0];
      if (!scanner) return null;
      const rows = scanner.next(limit);
      if (!rows) {
        this.#scanners.shift();
        continue;
      }
      const fresh = rows.filter(({ record }) => !this.#seen.has(record) && this.#seen.add(record));
      if (fresh.length > 0) return fresh;
    }
  }
}
