import type { Limit } from '../limit.ts';
import type { WindowSpan } from './window.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** One for each hour of a day, that of the present hour, and one that may be older than a day. */
const PLACES = 26;

/** What a counter had counted when it was first used within an hour. */
export type UsageSample = {
  /** Milliseconds since the epoch. */
  at: number;
  fill: number;
  /** The resets before it: what was counted before a reset says nothing of what came later. */
  gen: number;
};

export const hourOf = (time: number): number => Math.floor(time / HOUR_MS);

/** Where the sample of an hour stands, in place of the one of 26 hours before; and when that hour began. */
export function placeOfSample({ at }: Pick<UsageSample, 'at'>): { place: string; hourBegan: number } {
  const hour = hourOf(at);
  return { place: String(hour % PLACES), hourBegan: hour * HOUR_MS };
}

/** Whether the usage of a counter is worth a forecast: a rate, or a window of less than a day, is over before one helps. */
export const isSampled = ({ kind }: Pick<Limit, 'kind'>, { from, until }: WindowSpan): boolean =>
  kind === 'usage' && (until === null || until - (from ?? 0) >= DAY_MS);
