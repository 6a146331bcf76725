import { performance } from 'node:perf_hooks';

/** What a number of calls took; times in milliseconds. */
export type Timing = { perSecond: number; p50: number; p99: number; max: number };

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
