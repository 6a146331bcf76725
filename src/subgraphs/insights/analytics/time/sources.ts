import { HOUR, MINUTE, MINUTES_KEPT, startOf, type TimeSpan } from '../../../../recording/rollups/buckets.ts';
import type { Window } from './window.ts';

/** A part of a window and what answers for it; `end` is not included. */
export type Source = { kind: TimeSpan | 'logs'; from: number; end: number };

/** Minutes that are about to be removed are not relied on. */
const MARGIN = HOUR;

const nextStart = (moment: number, length: number): number => startOf(moment + length - 1, length);

/**
 * Cuts a window into whole hours (or minutes, where its points are minutes), which roll-ups answer for, and its ends, for
 * which the minutes and at last the logs do. Roll-ups of minutes exist for some days only; before, the logs answer.
 * So they do for all that is older than roll-ups.
 */
export function sourcesOf(
  { from, end, points }: Pick<Window, 'from' | 'end' | 'points'>,
  { now, beginning }: { now: number; beginning: number },
): Source[] {
  if (from < beginning) {
    const early = logs(from, Math.min(end, beginning));
    const rest = { from: beginning, end, points };
    return end <= beginning ? [early] : [early, ...sourcesOf(rest, { now, beginning })];
  }
  // No log is of the future: a bucket that goes on after now may be taken whole.
  const last = end > now ? nextStart(end, HOUR) : end;
  const oldest = startOf(now - MINUTES_KEPT + MARGIN, MINUTE);
  const inMinutes = (from: number, end: number): Source[] =>
    from < oldest ? [logs(from, end)] : whole('minute', MINUTE, { from, end }, logs);
  const sources =
    points.length === MINUTE
      ? inMinutes(from, last)
      : whole('hour', HOUR, { from, end: last }, (from, end) => inMinutes(from, end));
  return sources.flat().filter((source) => source.from < source.end);
}

const logs = (from: number, end: number): Source => ({ kind: 'logs', from, end });

function whole(
  kind: TimeSpan,
  length: number,
  { from, end }: { from: number; end: number },
  ends: (from: number, end: number) => Source | Source[],
): Source[] {
  const first = nextStart(from, length);
  const last = startOf(end, length);
  if (first >= last) return [ends(from, end)].flat();
  return [ends(from, first), { kind, from: first, end: last }, ends(last, end)].flat();
}
