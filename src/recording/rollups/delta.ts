import type { LogRecord } from '../log-record.ts';
import { MINUTES_KEPT, type Span, spans, startOf } from './buckets.ts';
import { type RollupPlace, type Rows, rollupId, tallyAt } from './document.ts';
import { facets, rowsOf, type Sorted } from './facets.ts';
import { addRecord, type Counted } from './tally.ts';

/** What some logs add to one roll-up document. */
export type RollupPart = { id: string; place: RollupPlace; expiresAt: Date | null; rows: Rows };

export type Delta = Map<string, RollupPart>;

/** What a log has to say to be rolled up. */
export type RolledUp = Counted & Sorted & Pick<LogRecord, 'organisationId' | 'workspaceId' | 'expiresAt'>;

/** What these logs add to roll-ups. Minutes that are kept no longer are left out. */
export function deltaOf(records: readonly RolledUp[], now: number): Delta {
  const delta: Delta = new Map();
  for (const record of records) {
    for (const span of ['minute', 'hour'] as const) {
      const start = new Date(startOf(record.createdAt.getTime(), spans[span]));
      if (span === 'minute' && start.getTime() + MINUTES_KEPT <= now) continue;
      const expiresAt = span === 'minute' ? new Date(start.getTime() + MINUTES_KEPT) : record.expiresAt;
      addLog(delta, record, { span, start, expiresAt });
    }
  }
  return delta;
}

function addLog(
  delta: Delta,
  record: RolledUp,
  { expiresAt, ...bucket }: { span: Span; start: Date; expiresAt: Date | null },
): void {
  const { organisationId, workspaceId } = record;
  for (const facet of facets) {
    const rows = rowsOf(facet, record);
    if (rows.length === 0) continue;
    const place = { organisationId, workspaceId, facet, ...bucket };
    const id = rollupId(place);
    let part = delta.get(id);
    if (!part) {
      part = { id, place, expiresAt, rows: new Map() };
      delta.set(id, part);
    }
    part.expiresAt = later(part.expiresAt, expiresAt);
    for (const row of rows) tallyAt(part.rows, row, (tally) => addRecord(tally, record));
  }
}

/** The later end; one that is kept for ever has none. */
export const later = (a: Date | null, b: Date | null): Date | null =>
  a === null || b === null ? null : a > b ? a : b;
