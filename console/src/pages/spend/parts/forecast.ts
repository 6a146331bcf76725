import type { Zone } from '../../../format/time.ts';

const DAY_MS = 24 * 3_600_000;

/** A month of the calendar, in milliseconds: it ends where the next one begins. */
export type Month = { from: number; to: number };

/** The month in which a moment lies, by the clocks of a zone. */
export function monthOf(moment: number, zone: Zone): Month {
  const at = new Date(moment);
  if (zone === 'utc') {
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
    return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
  }
  const [year, month] = [at.getFullYear(), at.getMonth()];
  return { from: new Date(year, month).getTime(), to: new Date(year, month + 1).getTime() };
}

/** What a month will have cost at its end, if it goes on as until now; null for its first day, which says too little. */
export function forecastOf(cost: number, { from, to }: Month, now: number): number | null {
  const elapsed = now - from;
  return elapsed < DAY_MS ? null : (cost * (to - from)) / elapsed;
}
