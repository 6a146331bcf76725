import { performance } from 'node:perf_hooks';

/** What a number of calls took; times in milliseconds. */
export type Timing = {
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
  /** The longest wait of 99 in 100 calls that come at moments spread evenly. A standstill of seconds shows in it, though
   * clients that wait for their answers add only one slow call each to `p99`. */
  p99AnyMoment: number;
};

/** Milliseconds that some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** The middle one of three runs, in milliseconds. */
export async function middleOfThree(work: () => Promise<unknown>): Promise<number> {
  return percentile([await timed(work), await timed(work), await timed(work)], 0.5);
}

/** Calls `operation` from so many clients, each one call after another, while `wanted` says so. */
export async function repeat(
  clients: number,
  wanted: () => boolean,
  operation: () => Promise<unknown>,
): Promise<Timing> {
  const latencies: number[] = [];
  const runClient = async () => {
    while (wanted()) latencies.push(await timed(operation));
  };
  const elapsed = await timed(() => Promise.all(Array.from({ length: clients }, runClient)));
  return {
    perSecond: (latencies.length * 1000) / elapsed,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    max: percentile(latencies, 1),
    p99AnyMoment: waitAtAnyMoment(latencies, 0.99),
  };
}

/** `repeat` for a while, after a tenth of that time as a warm-up. */
export async function repeatFor(
  seconds: number,
  clients: number,
  operation: () => Promise<unknown>,
): Promise<Timing> {
  await repeat(clients, until(seconds / 10), operation);
  return repeat(clients, until(seconds), operation);
}

/** True for so many seconds from now. */
export function until(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() < end;
}

/** The smallest value that so large a share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** The wait that a share of arrivals at evenly spread moments does not exceed, when calls follow one upon another. */
export function waitAtAnyMoment(latencies: readonly number[], share: number): number {
  const longestFirst = latencies.toSorted((a, b) => b - a);
  const allowed = (1 - share) * latencies.reduce((sum, latency) => sum + latency, 0);
  let sum = 0;
  for (const [i, latency] of longestFirst.entries()) {
    sum += latency;
    // With a wait of w, the moments that wait longer are those of the calls above w, each without its last w.
    const wait = (sum - allowed) / (i + 1);
    if (wait >= (longestFirst[i + 1] ?? 0)) return Math.max(0, wait);
  }
  return 0;
}
