import { HOUR } from '../../../recording/rollups/buckets.ts';
import { type Facet, rowsOf } from '../../../recording/rollups/facets.ts';
import { type Rows, tallyAt } from '../../../recording/rollups/rows.ts';
import { addRecord } from '../../../recording/rollups/tally.ts';
import { readLogs } from './logs.ts';
import type { AnalyticsScope } from './scope.ts';
import { pointAt } from './time/window.ts';

/** A whole hour of one workspace that belongs to two points. */
export type SplitHour = { workspaceId: string; start: Date };

/** What of such an hour belongs to one point; `moment` is one of its own. */
export type PartOfHour = { moment: number; rows: Rows };

const known = new WeakMap<AnalyticsScope, Map<string, Promise<PartOfHour[]>>>();

/** Hours whose logs are read beside each other. */
const ABREAST = 4;

/** Gives the parts of each hour, made of its logs: these are read once for all that is asked of the scope, since they are many. */
export async function eachPartOfHours<T extends { document: SplitHour }>(
  scope: AnalyticsScope,
  facet: Facet,
  hours: readonly T[],
  give: (hour: T, part: PartOfHour) => void,
): Promise<void> {
  for (let at = 0; at < hours.length; at += ABREAST) {
    const some = hours.slice(at, at + ABREAST);
    const parts = await Promise.all(some.map(({ document }) => partsOfHour(scope, facet, document)));
    for (const [index, hour] of some.entries()) for (const part of parts[index] ?? []) give(hour, part);
  }
}

function partsOfHour(
  scope: AnalyticsScope,
  facet: Facet,
  { workspaceId, start }: SplitHour,
): Promise<PartOfHour[]> {
  const hours = known.get(scope) ?? new Map<string, Promise<PartOfHour[]>>();
  known.set(scope, hours);
  const place = `${facet} ${workspaceId} ${start.getTime()}`;
  const parts = hours.get(place) ?? sumParts(scope, facet, { workspaceId, start });
  hours.set(place, parts);
  return parts;
}

async function sumParts(
  scope: AnalyticsScope,
  facet: Facet,
  { workspaceId, start }: SplitHour,
): Promise<PartOfHour[]> {
  const parts = new Map<number, PartOfHour>();
  const from = start.getTime();
  await readLogs(scope, { from, end: from + HOUR, workspaceId }, (record) => {
    const moment = record.createdAt.getTime();
    const point = pointAt(scope.window, moment);
    const part = parts.get(point) ?? { moment, rows: new Map() };
    parts.set(point, part);
    for (const row of rowsOf(facet, record)) tallyAt(part.rows, row, (tally) => addRecord(tally, record));
  });
  return [...parts.values()];
}
