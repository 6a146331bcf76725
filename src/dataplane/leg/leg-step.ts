import type { Settled } from '../answer/settled.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import type { Leg } from './leg.ts';

/** Runs a leg, or the rest of it. Rejects, or throws, with the GatewayError that ends the whole call. */
export type RunLeg = (leg: Leg, dependencies: DataplaneDependencies) => Promise<Settled>;

/**
 * Does its part of a leg around `next`, the steps behind it. A step that has nothing to wait for returns the promise of
 * `next` as it is: a promise of its own would be paid by every call.
 */
export type LegStep = (leg: Leg, dependencies: DataplaneDependencies, next: RunLeg) => Promise<Settled>;

/** Puts steps around each other, the first outermost. The last one does not call `next`. */
export const chained = (steps: readonly LegStep[]): RunLeg =>
  steps.reduceRight<RunLeg>(
    (next, step) => (leg, dependencies) => step(leg, dependencies, next),
    () => Promise.reject(new Error('The last step of a leg sends the request.')),
  );
