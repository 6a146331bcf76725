import { z } from 'zod';

const wholeNumber = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .default(fallback);

/** Settings of budgets and rates. */
export const limitSettings = {
  LIMITS_LEASE_SECONDS: wholeNumber(1, 1, 60).describe(
    'seconds of its own demand that a process takes out of a budget or rate beforehand; more survives a longer outage of ' +
      'the database, and leaves less to the others meanwhile',
  ),
  LIMITS_WAIT_MS: wholeNumber(1000, 0, 60_000).describe(
    'milliseconds for which a call waits while what it needs of a budget is held by calls under way, where the budget says ' +
      'nothing else',
  ),
  LIMITS_DEFAULT_OUTPUT_CAP: wholeNumber(16_384, 256, 10_000_000).describe(
    'output tokens that a call under a budget gets at most where it names no cap of its own',
  ),
};
