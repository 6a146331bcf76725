import type { CircuitBreaker } from '../../../routing-config/parts.ts';

/** Outcomes of one target in the present window. */
export type Counts = { failures: number; successes: number };

/** How a target's call ended: the last status, and whether the provider gave no whole answer. */
export type CallEnd = { status: number; isBroken: boolean };

/**
 * Whether the end counts as a failure: by `failure_status_codes`; by default everything from 500 on, and what came to no
 * end at all: a timeout, a connection that was refused or broke, also in the middle of a stream.
 */
export const isFailure = (rule: CircuitBreaker, { status, isBroken }: CallEnd): boolean =>
  rule.failure_status_codes ? rule.failure_status_codes.includes(status) : status >= 500 || isBroken;

/** Whether the count of failures or, once there are enough requests, their share has reached what the rule allows. */
export function opens(rule: CircuitBreaker, { failures, successes }: Counts): boolean {
  if (rule.failure_threshold !== undefined && failures >= rule.failure_threshold) return true;
  const requests = failures + successes;
  return (
    rule.failure_threshold_percentage !== undefined &&
    failures > 0 &&
    requests >= (rule.minimum_requests ?? 1) &&
    (100 * failures) / requests >= rule.failure_threshold_percentage
  );
}

/** Only a share needs to know how often a target did well. */
export const countsSuccesses = (rule: CircuitBreaker): boolean =>
  rule.failure_threshold_percentage !== undefined;

export const sumOf = (one: Counts, other: Counts): Counts => ({
  failures: one.failures + other.failures,
  successes: one.successes + other.successes,
});
