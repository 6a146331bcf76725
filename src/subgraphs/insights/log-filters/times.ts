import type { Db } from 'mongodb';
import { batchesIn } from '../../../recording/rollups/batches.ts';
import { beginningOf } from '../../../recording/rollups/beginning.ts';
import { HOUR, startOf } from '../../../recording/rollups/buckets.ts';
import {
  type EncodedRow,
  ROLLUPS_COLLECTION,
  type RollupDocument,
  requestsIn,
} from '../../../recording/rollups/document.ts';
import { EARLY_DIMENSIONS } from '../../../recording/rollups/facets.ts';
import { boundedRead } from '../../bounded-read.ts';
import type { RollupView } from './view.ts';

/** A time in which there may be logs that filters let through; `end` is not included. */
export type LogTime = {
  from: number;
  end: number;
  /** How many there are at most. */
  atMost: number;
  /** Whether there are exactly so many. */
  isExact: boolean;
};

export type TimeQuestion = {
  view: RollupView;
  owner: { organisationId: string; workspaceId?: string };
  from: number;
  end: number;
  /** 1 from the oldest on, -1 from the newest. */
  direction: 1 | -1;
};

type Stored = Pick<RollupDocument, 'start' | 'given' | 'rows'>;

const BATCH = 25;

/**
 * The hours that may have logs which the view matches, in their order, as far as they are asked for. None is missing: what is
 * on its way into the roll-ups has a note (`rollups/batches.ts`), which is read first, and its hours are given unseen.
 */
export async function* timesOf(db: Db, question: TimeQuestion): AsyncGenerator<LogTime> {
  const { view, owner, direction, from, end } = question;
  const beginning = await beginningOf(db);
  const unseen = (from: number, end: number): LogTime => ({ from, end, atMost: Infinity, isExact: false });
  const isEarly = from < beginning;
  if (isEarly && direction === 1) yield unseen(from, Math.min(end, beginning));
  const first = Math.max(from, beginning);
  if (first < end) {
    const pending = await pendingHours(db, question, first);
    const clipped = ({ start, atMost }: Hour): LogTime => {
      const time = { from: Math.max(start, first), end: Math.min(start + HOUR, end) };
      const isWhole = time.end - time.from === HOUR;
      return { ...time, atMost, isExact: view.isExact && isWhole && atMost < Infinity };
    };
    const comesBefore = (hour: number, start: number) => (direction === 1 ? hour < start : hour > start);
    for await (const { start, atMost } of hoursOf(db, owner, view, { first, end, direction })) {
      while (pending[0] !== undefined && comesBefore(pending[0], start)) {
        yield clipped({ start: pending.shift() as number, atMost: Infinity });
      }
      if (pending[0] === start) yield clipped({ start: pending.shift() as number, atMost: Infinity });
      else if (atMost > 0) yield clipped({ start, atMost });
    }
    for (const start of pending) yield clipped({ start, atMost: Infinity });
  }
  if (isEarly && direction === -1) yield unseen(from, Math.min(end, beginning));
}

/** The hours of batches that are not in the roll-ups yet, in the order of the question. */
async function pendingHours(
  db: Db,
  { owner, end, direction }: TimeQuestion,
  first: number,
): Promise<number[]> {
  const notes = await batchesIn(db)
    .find({ organisationIds: owner.organisationId }, { ...boundedRead, projection: { from: 1, until: 1 } })
    .toArray();
  const hours = new Set<number>();
  for (const { from, until } of notes) {
    const last = Math.min(until.getTime(), end - 1);
    for (let start = startOf(Math.max(from.getTime(), first), HOUR); start <= last; start += HOUR)
      hours.add(start);
  }
  return [...hours].sort((a, b) => (a - b) * direction);
}

type Hour = { start: number; atMost: number };

/** The hours that are rolled up, those of all workspaces together. */
async function* hoursOf(
  db: Db,
  owner: TimeQuestion['owner'],
  view: RollupView,
  { first, end, direction }: { first: number; end: number; direction: 1 | -1 },
): AsyncGenerator<Hour> {
  const start = { $gte: new Date(startOf(first, HOUR)), ...(end < Infinity && { $lt: new Date(end) }) };
  const cursor = db.collection<RollupDocument>(ROLLUPS_COLLECTION).find<Stored>(
    { ...owner, facet: view.facet, span: 'hour', start },
    {
      ...boundedRead,
      batchSize: BATCH,
      projection: { start: 1, given: 1, rows: 1 },
      sort: { start: direction },
    },
  );
  let hour = null as Hour | null;
  for await (const document of cursor) {
    const start = document.start.getTime();
    if (hour && hour.start !== start) {
      yield hour;
      hour = null;
    }
    hour = { start, atMost: (hour?.atMost ?? 0) + countIn(document, view) };
  }
  if (hour) yield hour;
}

function countIn({ given, rows: text }: Stored, view: RollupView): number {
  if (view.isLackedBy(given)) return Infinity;
  const rows = JSON.parse(text) as EncodedRow[];
  if (view.needsLateRows && rows.some(([row]) => row.length === EARLY_DIMENSIONS)) return Infinity;
  return rows.reduce((sum, row) => (view.matches(row[0]) ? sum + requestsIn(row) : sum), 0);
}
