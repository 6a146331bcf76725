import { integer } from './values.ts';

/** Settings of budgets and rates. */
export const limitSettings = {
  LIMITS_LEASE_SECONDS: integer(1, 1, 60).describe(
    'seconds of its own demand that a process takes out of a budget or rate beforehand; more survives a longer outage of ' +
      'the database, and leaves less to the others meanwhile',
  ),
  LIMITS_WAIT_MS: integer(1000, 0, 60_000).describe(
    'milliseconds for which a call waits while what it needs of a budget is held by calls under way, where the budget says ' +
      'nothing else',
  ),
  LIMITS_DEFAULT_OUTPUT_CAP: integer(16_384, 256, 10_000_000).describe(
    'output tokens that a call under a budget gets at most where it names no cap of its own',
  ),
};
