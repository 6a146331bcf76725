import { percentile } from '../../../recording/rollups/histogram.ts';
import type { Tally } from '../../../recording/rollups/tally.ts';
import { cents } from '../log-filters/index.ts';

// What is shown of requests that were added up.

const MICROSECONDS = 1000;

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const percent = (part: number, whole: number): number => ratio(100 * part, whole);
const ms = (microseconds: number): number => microseconds / MICROSECONDS;
const money = (nanodollars: number): number => cents(nanodollars) ?? 0;

export const hits = ({ simpleHits, semanticHits }: Tally): number => simpleHits + semanticHits;

export const cost = (tally: Tally) => ({
  total: money(tally.costNanodollars),
  avg: ratio(money(tally.costNanodollars), tally.requests),
});

export const tokens = ({ totalTokens, requests }: Tally) => ({
  total: totalTokens,
  avg: ratio(totalTokens, requests),
});

export const latency = (tally: Tally) => ({
  avg: ms(ratio(tally.latencyMicroseconds, tally.requests)),
  p50: ms(percentile(tally.latencies, 0.5)),
  p90: ms(percentile(tally.latencies, 0.9)),
  p95: ms(percentile(tally.latencies, 0.95)),
  p99: ms(percentile(tally.latencies, 0.99)),
});

export const errorRate = ({ errors, requests }: Tally): number => percent(errors, requests);

export const hitRate = (tally: Tally): number => percent(hits(tally), tally.cacheable);

export const hitLatency = (tally: Tally): number => ms(ratio(tally.hitLatencyMicroseconds, hits(tally)));

export const savings = (tally: Pick<Tally, 'simpleSavingsNanodollars' | 'semanticSavingsNanodollars'>) => ({
  simple: money(tally.simpleSavingsNanodollars),
  semantic: money(tally.semanticSavingsNanodollars),
});

export const retried = ({ retries }: Tally): number =>
  [...retries.values()].reduce((sum, times) => sum + times, 0);

export function cacheSummary(tally: Tally) {
  const other = ms(
    ratio(tally.latencyMicroseconds - tally.hitLatencyMicroseconds, tally.requests - hits(tally)),
  );
  const avgLatency = hitLatency(tally);
  return {
    hits: hits(tally),
    avgLatency,
    totalRequests: tally.requests,
    cacheSpeedup: hits(tally) === 0 ? 0 : percent(other - avgLatency, other),
  };
}

/** What is shown of a group of requests. */
export const groupValues = (tally: Tally) => {
  const { avg, p95, p99 } = latency(tally);
  return {
    requests: tally.requests,
    requestsText: String(tally.requests),
    cost: money(tally.costNanodollars),
    totalTokens: tally.totalTokens,
    avgTokens: ratio(tally.totalTokens, tally.requests),
    avgInputTokens: ratio(tally.promptTokens, tally.requests),
    avgOutputTokens: ratio(tally.completionTokens, tally.requests),
    avgLatency: avg,
    p95Latency: p95,
    p99Latency: p99,
    successRate: percent(tally.requests - tally.errors, tally.requests),
    errorCount: tally.errors,
    cacheHitRate: hitRate(tally),
    firstSeen: new Date(tally.firstSeen),
    lastSeen: new Date(tally.lastSeen),
  };
};
