import type { LogRecord } from '../log/record.ts';
import { HOUR, MINUTE, MINUTES_KEPT, startOf, type TimeSpan } from './buckets.ts';
import { type RollupPlace, rollupId } from './document.ts';
import { type Facet, facets, rowsOf, type Sorted } from './facets.ts';
import { addToRow, type Rows, tallyAt } from './rows.ts';
import { addRecord, type Counted } from './tally.ts';

/** What some logs add to one roll-up document. */
export type RollupPart = { id: string; place: RollupPlace; expiresAt: Date | null; rows: Rows };

export type Delta = Map<string, RollupPart>;

/** What a log has to say to be rolled up. */
export type RolledUp = Counted & Sorted & Pick<LogRecord, 'organisationId' | 'workspaceId' | 'expiresAt'>;

/** What these logs add to roll-ups. Minutes that are kept no longer are left out. */
export function deltaOf(records: readonly RolledUp[], now: number): Delta {
  const delta: Delta = new Map();
  const minutes = Map.groupBy(
    records,
    ({ workspaceId, createdAt }) => `${workspaceId} ${startOf(createdAt.getTime(), MINUTE)}`,
  );
  for (const some of minutes.values()) addMinute(delta, some, now);
  return delta;
}

/** Adds the logs of one minute of one workspace: to that minute and, the same rows, to its hour. */
function addMinute(delta: Delta, records: readonly RolledUp[], now: number): void {
  const [first] = records;
  if (!first) return;
  const { organisationId, workspaceId, createdAt } = first;
  const bucketOf = (facet: Facet, span: TimeSpan, length: number): RollupPlace => {
    const start = new Date(startOf(createdAt.getTime(), length));
    return { organisationId, workspaceId, facet, span, start };
  };
  const kept = records.map((record) => record.expiresAt).reduce(later);
  const minuteKept = startOf(createdAt.getTime(), MINUTE) + MINUTES_KEPT;
  for (const facet of facets) {
    const rows: Rows = new Map();
    for (const record of records) {
      for (const row of rowsOf(facet, record)) tallyAt(rows, row, (tally) => addRecord(tally, record));
    }
    if (rows.size === 0) continue;
    addPart(delta, bucketOf(facet, 'hour', HOUR), kept, rows);
    if (minuteKept > now) addPart(delta, bucketOf(facet, 'minute', MINUTE), new Date(minuteKept), rows);
  }
}

function addPart(delta: Delta, place: RollupPlace, expiresAt: Date | null, rows: Rows): void {
  const id = rollupId(place);
  let part = delta.get(id);
  if (!part) {
    part = { id, place, expiresAt, rows: new Map() };
    delta.set(id, part);
  }
  part.expiresAt = later(part.expiresAt, expiresAt);
  for (const { dimensions, tally } of rows.values()) addToRow(part.rows, dimensions, tally);
}

/** The later end; one that is kept for ever has none. */
export const later = (a: Date | null, b: Date | null): Date | null =>
  a === null || b === null ? null : a > b ? a : b;
