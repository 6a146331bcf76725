import { asBuffer } from '../bson/raw.ts';
import type { Collection } from '../store/collection.ts';
import { type Database, tableOf } from '../store/file/database.ts';
import type { AccessPath, IndexPlan } from './planner.ts';

/** A stored document as a scan meets it. */
export type StoredDocument = { record: number; body: Buffer };

/** Rows piece by piece. Between two pieces nothing is held in SQLite, so a slow reader pins no snapshot. */
export type Scan = Generator<StoredDocument[]>;

/** Walks a plan; `size` is asked how many rows the next piece may have. */
export function scan(database: Database, collection: Collection, plan: AccessPath, size: () => number): Scan {
  if (plan.kind === 'scan') return scanRecords(database, collection, plan.reverse, size);
  if (plan.kind === 'union') return once(plan.plans.map((part) => scan(database, collection, part, size)));
  const rows = scanIndex(database, collection, plan, size);
  return plan.index.multikey ? once([rows]) : rows;
}

function* scanRecords(
  database: Database,
  collection: Collection,
  reverse: boolean,
  size: () => number,
): Scan {
  const [compare, direction] = reverse ? ['<', 'DESC'] : ['>', 'ASC'];
  const sql = `SELECT record, body FROM ${tableOf(collection)} WHERE record ${compare} ? ORDER BY record ${direction} LIMIT ?`;
  for (let last = reverse ? Number.MAX_SAFE_INTEGER : -1; ; ) {
    const rows = database.all<[number, Uint8Array]>(sql, last, size());
    const end = rows.at(-1);
    if (!end) {
      database.confirm(collection, null);
      return;
    }
    last = end[0];
    yield rows.map(([record, body]) => ({ record, body: asBuffer(body) }));
  }
}

/** Intervals that are looked at before other commands get their turn, whether anything was found or not. */
const searchedAtOnce = 100;

function* scanIndex(
  database: Database,
  collection: Collection,
  { index, intervals, reverse }: IndexPlan,
  size: () => number,
): Scan {
  const select = `SELECT e.key, e.record, d.body FROM entries e CROSS JOIN ${tableOf(collection)} d ON d.record = e.record`;
  const start = 'e.key >= ? AND e.key < ?';
  const resume = reverse
    ? 'e.key >= ? AND (e.key, e.record) < (?, ?)'
    : '(e.key, e.record) > (?, ?) AND e.key < ?';
  const order = reverse ? 'e.key DESC, e.record DESC' : 'e.key, e.record';
  let found: StoredDocument[] = [];
  let limit = size();
  let searched = 0;
  for (const { low, high } of reverse ? intervals.toReversed() : intervals) {
    if (++searched % searchedAtOnce === 0) {
      yield found;
      found = [];
    }
    let bounds: (Uint8Array | number)[] = [low, high];
    for (let more = true; more; ) {
      const wanted = limit - found.length;
      const part = bounds.length === 2 ? start : resume;
      const sql = `${select} WHERE e.idx = ? AND ${part} ORDER BY ${order} LIMIT ?`;
      const rows = database.all<[Uint8Array, number, Uint8Array]>(sql, index.id, ...bounds, wanted);
      for (const [, record, body] of rows) found.push({ record, body: asBuffer(body) });
      more = rows.length === wanted;
      const [key, record] = rows.at(-1) ?? [];
      if (key && record !== undefined) bounds = reverse ? [low, key, record] : [key, record, high];
      if (!more) continue;
      yield found;
      found = [];
      limit = size();
    }
  }
  if (found.length > 0) yield found;
  database.confirm(collection, index.id);
}

/** Several scans one after the other, each document once. */
function* once(scans: Scan[]): Scan {
  const seen = new Set<number>();
  for (const rows of scans) {
    for (const piece of rows) yield piece.filter(({ record }) => !seen.has(record) && seen.add(record));
  }
}
