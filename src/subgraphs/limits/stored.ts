/** What an administrator may say about how a limit is kept; what absent members stand for, `behaviour.ts` says. */
type Behaviour = {
  enforcement?: 'hard' | 'soft' | 'observe' | null;
  /** Milliseconds. */
  waitMs?: number | null;
  onStoreLoss?: 'closed' | 'local' | 'open' | null;
};

/** An amount that is used up within a window, on whatever level, as it is stored. */
export type StoredUsageLimit = Behaviour & {
  type: 'cost' | 'tokens' | 'requests';
  /** US dollars, tokens or requests. */
  creditLimit: number;
  /** In the unit of `creditLimit`. */
  alertThreshold: number | null;
  periodicReset: 'weekly' | 'monthly' | null;
  /** Excludes `periodicReset`. */
  periodicResetDays: number | null;
  /** A midnight in UTC from which days are counted; null for that of the day on which the limit was set. */
  nextUsageResetAt: Date | null;
  unpriced?: 'count' | 'refuse' | null;
  onCrash?: 'keep' | 'return' | null;
  onAbort?: 'progress' | 'reserve' | null;
  /** When the limit was set; its counters belong to that moment, so that one set anew starts at 0. */
  since: Date;
  /** Counts the edits of `creditLimit`, from 1. */
  version: number;
  /** When somebody last set its usage to 0; null for never. */
  lastResetAt: Date | null;
};

export type RateUnit = 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw';

/** A rate, on whatever level, as it is stored. */
export type StoredRateLimit = Behaviour & {
  type: 'requests' | 'tokens';
  unit: RateUnit;
  value: number;
  /** A bucket refills all the time; a calendar window begins anew with each minute, hour, day or week. */
  window?: 'bucket' | 'calendar' | null;
  since: Date;
  /** Counts the edits of `value`, from 1. */
  version: number;
};

/** Members of the document of whatever has limits; absent in documents of versions without limits. */
export type StoredLimits = { usageLimits?: StoredUsageLimit[]; rateLimits?: StoredRateLimit[] };
