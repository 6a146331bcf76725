import { invalidInput } from '../../errors/index.ts';
import { nextPeriod } from './periods.ts';
import type { StoredUsageLimit } from './stored.ts';

/** What a usage limit says, apart from how it is kept. */
export type UsageTerms = Pick<
  StoredUsageLimit,
  'type' | 'creditLimit' | 'alertThreshold' | 'periodicReset' | 'periodicResetDays' | 'nextUsageResetAt'
>;

const DAY_MS = 86_400_000;
/** Dollars: nanodollars are counted exactly up to 2^53. */
const MOST_DOLLARS = 9_000_000;

/** The terms as they are stored; throws VALIDATION_FAILED naming the member of `param` that does not fit. */
export function checkedTerms(terms: UsageTerms, param: string, now: Date): UsageTerms {
  requireAmount(terms.type, terms.creditLimit, `${param}.creditLimit`);
  const { alertThreshold } = terms;
  if (alertThreshold !== null) {
    requireAmount(terms.type, alertThreshold, `${param}.alertThreshold`);
    if (alertThreshold >= terms.creditLimit) {
      throw invalidInput(
        `${param}.alertThreshold`,
        `alert_threshold must be less than credit_limit, which is ${terms.creditLimit}.`,
      );
    }
  }
  return { ...terms, nextUsageResetAt: checkedReset(terms, param, now) };
}

function requireAmount(type: UsageTerms['type'], amount: number, param: string): void {
  const member = param.endsWith('alertThreshold') ? 'alert_threshold' : 'credit_limit';
  if (type === 'cost') {
    if (amount <= MOST_DOLLARS) return;
    throw invalidInput(param, `${member} must be at most ${MOST_DOLLARS} US dollars.`);
  }
  if (Number.isSafeInteger(amount)) return;
  throw invalidInput(param, `${member} must be a whole number of ${type}, at most 2^53 - 1.`);
}

/** The midnight from which days are counted; null for all other periods, whose beginning the calendar gives. */
function checkedReset(terms: UsageTerms, param: string, now: Date): Date | null {
  const { periodicReset, periodicResetDays, nextUsageResetAt: named } = terms;
  if (periodicReset !== null && periodicResetDays !== null) {
    throw invalidInput(
      `${param}.periodicResetDays`,
      'periodic_reset and periodic_reset_days exclude each other: send one of them.',
    );
  }
  if (named === null) return null;
  const midnight = new Date(named.getTime() - (named.getTime() % DAY_MS));
  if (periodicResetDays !== null) return midnight;
  const at = `${param}.nextUsageResetAt`;
  if (periodicReset === null) {
    throw invalidInput(
      at,
      'next_usage_reset_at needs periodic_reset_days: a limit without a period never begins anew.',
    );
  }
  const next = nextPeriod({ ...terms, nextUsageResetAt: null, since: now }, now);
  if (next?.getTime() === midnight.getTime()) return null;
  throw invalidInput(
    at,
    `next_usage_reset_at of a ${periodicReset} limit can only be ${next?.toISOString()}; for another day send periodic_reset_days.`,
  );
}
