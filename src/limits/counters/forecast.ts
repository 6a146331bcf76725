import type { UsageSample } from './samples.ts';

const DAY_MS = 86_400_000;

/** How much a counter was used lately. */
export type UsagePace = {
  /** The last 24 hours, or the time since its first use where that is shorter. */
  ms: number;
  /** What was used in that time, in the unit of the limit. */
  used: number;
};

/** Milliseconds of use that a pace needs at least. */
const LEAST_MS = 600_000;

/** The pace of a counter; null while it is in use for less than ten minutes. `now`: milliseconds since the epoch. */
export function paceOf(
  counter: { fill: number; gen: number; samples: Readonly<Record<string, UsageSample>> },
  now: number,
): UsagePace | null {
  const samples = Object.values(counter.samples)
    .filter(({ gen, at }) => gen === counter.gen && at <= now)
    .sort((one, other) => one.at - other.at);
  const [first] = samples;
  if (!first || now - first.at < LEAST_MS) return null;
  const since = Math.max(first.at, now - DAY_MS);
  // Nothing was used between the last sample before that time and the first one after it, or it is the first of all.
  const then = samples.find(({ at }) => at >= since)?.fill ?? counter.fill;
  return { ms: now - since, used: Math.max(0, counter.fill - then) };
}

/** Of a window without an end: what lies farther ahead than ten years is no forecast. */
const FARTHEST_MS = 3650 * DAY_MS;

/** Where the usage of a counter leads if it goes on like this. Amounts are in the unit of the limit. */
export type UsageForecast = {
  /** When nothing will be left, in milliseconds since the epoch; null where its window ends before that, or nothing is used. */
  exhaustsAt: number | null;
  /** What will have been used when its window ends; null for a window without an end. */
  usedAtReset: number | null;
  pace: UsagePace;
};

export function forecastOf(
  counter: Parameters<typeof paceOf>[0] & { cap: number; until: number | null },
  now: number,
): UsageForecast | null {
  const { fill, cap, until } = counter;
  const pace = until !== null && until <= now ? null : paceOf(counter, now);
  if (pace === null) return null;
  const perMs = pace.used / pace.ms;
  const exhaustsAt = fill >= cap ? now : perMs > 0 ? now + (cap - fill) / perMs : Number.POSITIVE_INFINITY;
  const isReached = Number.isFinite(exhaustsAt) && exhaustsAt <= (until ?? now + FARTHEST_MS);
  return {
    exhaustsAt: isReached ? Math.round(exhaustsAt) : null,
    usedAtReset: until === null ? null : Math.round(fill + perMs * (until - now)),
    pace,
  };
}
