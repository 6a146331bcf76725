import { GRACE } from '../../../recording/rollups/batches.ts';
import { HOUR } from '../../../recording/rollups/buckets.ts';
import { type EncodedRows, encodeRows, type RollupDocument } from '../../../recording/rollups/document.ts';
import { type Facet, rowsOf } from '../../../recording/rollups/facets.ts';
import { type Rows, tallyAt } from '../../../recording/rollups/rows.ts';
import {
  keepSplit,
  type SplitDocument,
  type SplitPlace,
  splitId,
  splitsIn,
} from '../../../recording/rollups/split.ts';
import { addRecord } from '../../../recording/rollups/tally.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { boundedRead } from '../../bounded-read.ts';
import { each } from './each-document.ts';
import { readLogs } from './logs.ts';
import type { AnalyticsScope } from './scope.ts';

/** The roll-up of a whole hour that belongs to two points. */
export type SplitHour = Pick<
  RollupDocument,
  'organisationId' | 'workspaceId' | 'facet' | 'start' | 'version' | 'expiresAt'
>;

/** What of such an hour belongs to one point; `start` is a moment of its own. */
export type PartOfHour = EncodedRows & { start: Date };

/** Of each scope, the hours that have been asked for. */
const asked = new WeakMap<AnalyticsScope, Map<string, Promise<EncodedRows[]>>>();

/** Hours whose logs are read beside each other. */
const ABREAST = 4;

/**
 * Gives the parts of each hour: those that were kept, or else made of its logs, which are many and are read once for all that is
 * asked of the scope. Filters are left to the caller.
 */
export async function eachPartOfHours<T extends { document: SplitHour }>(
  scope: AnalyticsScope,
  facet: Facet,
  hours: readonly T[],
  give: (hour: T, part: PartOfHour) => void,
): Promise<void> {
  if (hours.length === 0) return;
  const kept = await readKept(
    scope,
    facet,
    hours.map(({ document }) => document),
  );
  for (let at = 0; at < hours.length; at += ABREAST) {
    const some = hours.slice(at, at + ABREAST);
    const parts = await Promise.all(some.map(({ document }) => kept(document) ?? made(scope, document)));
    for (const [index, hour] of some.entries()) {
      const { start, splitAt } = placeOf(scope, hour.document);
      const [before, after] = parts[index] ?? [];
      if (before) give(hour, { ...before, start });
      if (after) give(hour, { ...after, start: splitAt });
    }
  }
}

function placeOf({ window }: AnalyticsScope, hour: SplitHour): SplitPlace {
  const { organisationId, workspaceId, facet, start } = hour;
  const splitAt = window.splitHours.get(start.getTime());
  if (splitAt === undefined) throw new Error(`${start.toISOString()} belongs to one point.`);
  return { organisationId, workspaceId, facet, start, splitAt: new Date(splitAt) };
}

type Kept = Pick<SplitDocument, '_id' | 'version' | 'parts'>;

/** Finds what was kept of hours as they are now. */
async function readKept(
  scope: AnalyticsScope,
  facet: Facet,
  hours: readonly SplitHour[],
): Promise<(hour: SplitHour) => EncodedRows[] | null> {
  const starts = hours.map(({ start }) => start.getTime());
  const found = new Map<string, Kept>();
  const cursor = splitsIn(nativeDb(scope.context.db)).find<Kept>(
    {
      ...scope.owner,
      facet,
      span: 'split',
      start: { $gte: new Date(Math.min(...starts)), $lte: new Date(Math.max(...starts)) },
    },
    { ...boundedRead, projection: { version: 1, parts: 1 } },
  );
  await each(cursor, scope.context.signal, (document) => void found.set(document._id, document));
  return (hour) => {
    const document = found.get(splitId(placeOf(scope, hour)));
    return document?.version === hour.version ? document.parts : null;
  };
}

function made(scope: AnalyticsScope, hour: SplitHour): Promise<EncodedRows[]> {
  const hours = asked.get(scope) ?? new Map<string, Promise<EncodedRows[]>>();
  asked.set(scope, hours);
  const id = splitId(placeOf(scope, hour));
  const parts = hours.get(id) ?? makeParts(scope, hour);
  hours.set(id, parts);
  return parts;
}

async function makeParts(scope: AnalyticsScope, hour: SplitHour): Promise<EncodedRows[]> {
  const place = placeOf(scope, hour);
  const { facet, workspaceId } = place;
  const [from, splitAt] = [place.start.getTime(), place.splitAt.getTime()];
  const [before, after]: [Rows, Rows] = [new Map(), new Map()];
  const whole = { ...scope, filters: {}, logs: {} };
  await readLogs(whole, { from, end: from + HOUR, workspaceId }, (record) => {
    const part = record.createdAt.getTime() < splitAt ? before : after;
    for (const row of rowsOf(facet, record)) tallyAt(part, row, (tally) => addRecord(tally, record));
  });
  const parts = [before, after].map((rows) => encodeRows(facet, rows));
  // An hour in which logs still arrive would be made again by the next who asks.
  if (from + HOUR + GRACE < scope.context.now().getTime()) keep(scope, place, { ...hour, parts });
  return parts;
}

/** Nobody waits for it: the answer is there, and whoever asks next finds the same in the logs. */
function keep(scope: AnalyticsScope, place: SplitPlace, found: Parameters<typeof keepSplit>[2]): void {
  const { db, log } = scope.context;
  keepSplit(nativeDb(db), place, found).catch((error: unknown) =>
    log.warn({ error }, 'An hour of analytics that belongs to two days could not be kept.'),
  );
}
