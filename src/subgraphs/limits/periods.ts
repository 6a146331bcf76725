import { windowAt } from '../../limits/counters/window.ts';
import type { LimitWindow } from '../../limits/limit.ts';
import type { StoredUsageLimit } from './stored.ts';

const DAY_MS = 86_400_000;

type Periods = Pick<StoredUsageLimit, 'periodicReset' | 'periodicResetDays' | 'nextUsageResetAt' | 'since'>;

/** The window of a limit, as the engine counts in it. */
export function windowOf({
  periodicReset,
  periodicResetDays,
  nextUsageResetAt,
  since,
}: Periods): LimitWindow {
  if (periodicReset !== null) return { kind: periodicReset };
  if (periodicResetDays === null) return { kind: 'forever' };
  const from = (nextUsageResetAt ?? since).getTime();
  return { kind: 'days', days: periodicResetDays, from: from - (from % DAY_MS) };
}

/** When a limit begins anew next; null for never. */
export function nextPeriod(limit: Periods, now: Date): Date | null {
  const { until } = windowAt(windowOf(limit), now.getTime());
  return until === null ? null : new Date(until);
}

/** When a limit last began anew, by itself or because somebody set it to 0; null where it never did. */
export function lastReset(limit: Periods & Pick<StoredUsageLimit, 'lastResetAt'>, now: Date): Date | null {
  const { from } = windowAt(windowOf(limit), now.getTime());
  const began = from !== null && from > limit.since.getTime() ? new Date(from) : null;
  const { lastResetAt: set } = limit;
  return set && began ? (set > began ? set : began) : (set ?? began);
}
