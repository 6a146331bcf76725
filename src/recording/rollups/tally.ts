import type { LogRecord } from '../log/record.ts';
import { bucketOf, count, type HistogramCounts } from './histogram.ts';

/** What is added up over requests: whole numbers, so that the order in which they are added changes nothing. */
export const sums = [
  'requests',
  /** Answers other than 2xx. */
  'errors',
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'costNanodollars',
  'latencyMicroseconds',
  /** Requests that asked for the cache. */
  'cacheable',
  'simpleHits',
  'semanticHits',
  'simpleSavingsNanodollars',
  'semanticSavingsNanodollars',
  'hitLatencyMicroseconds',
  /** 2xx from a target of a fallback other than its first. */
  'fallbacks',
] as const;

export type Sum = (typeof sums)[number];

/** Everything that analytics say about a number of requests. */
export type Tally = Record<Sum, number> & {
  /** Milliseconds since 1970. */
  firstSeen: number;
  lastSeen: number;
  /** 2xx after retries, by the number of retries. */
  retries: HistogramCounts;
  /** Response times in buckets of microseconds. */
  latencies: HistogramCounts;
};

/** The members of a log that are counted; of older logs some are absent. */
export type Counted = Pick<LogRecord, 'createdAt' | 'responseStatusCode' | 'mode'> &
  Partial<
    Pick<
      LogRecord,
      | 'cacheStatus'
      | 'completionTokens'
      | 'costNanodollars'
      | 'lastUsedOptionIndex'
      | 'promptTokens'
      | 'responseTime'
      | 'retryAttemptCount'
      | 'savingsNanodollars'
      | 'totalTokens'
    >
  >;

export const emptyTally = (): Tally => ({
  requests: 0,
  errors: 0,
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  costNanodollars: 0,
  latencyMicroseconds: 0,
  cacheable: 0,
  simpleHits: 0,
  semanticHits: 0,
  simpleSavingsNanodollars: 0,
  semanticSavingsNanodollars: 0,
  hitLatencyMicroseconds: 0,
  fallbacks: 0,
  firstSeen: Number.MAX_SAFE_INTEGER,
  lastSeen: 0,
  retries: new Map(),
  latencies: new Map(),
});

/** Milliseconds beyond which a duration is nonsense from elsewhere; the graph shows no more either. */
const LONGEST = 2 ** 31 - 1;

const microseconds = (milliseconds: number): number =>
  Math.round(Math.min(Math.max(milliseconds, 0), LONGEST) * 1000);

/** Counts one request: the one place that says what analytics count, for roll-ups and for raw logs alike. */
export function addRecord(tally: Tally, record: Counted): void {
  const { responseStatusCode: status, retryAttemptCount = 0 } = record;
  const cacheStatus = record.cacheStatus ?? 'DISABLED';
  const isSuccess = status >= 200 && status <= 299;
  const latency = microseconds(record.responseTime ?? 0);
  const moment = record.createdAt.getTime();
  tally.requests++;
  tally.promptTokens += record.promptTokens ?? 0;
  tally.completionTokens += record.completionTokens ?? 0;
  tally.totalTokens += record.totalTokens ?? 0;
  tally.costNanodollars += record.costNanodollars ?? 0;
  tally.latencyMicroseconds += latency;
  count(tally.latencies, bucketOf(latency));
  if (cacheStatus !== 'DISABLED') addCached(tally, cacheStatus, latency, record.savingsNanodollars ?? 0);
  if (!isSuccess) tally.errors++;
  else {
    if (retryAttemptCount > 0) count(tally.retries, retryAttemptCount);
    if (record.mode === 'fallback' && (record.lastUsedOptionIndex ?? 0) > 0) tally.fallbacks++;
  }
  if (moment < tally.firstSeen) tally.firstSeen = moment;
  if (moment > tally.lastSeen) tally.lastSeen = moment;
}

function addCached(tally: Tally, status: LogRecord['cacheStatus'], latency: number, savings: number): void {
  tally.cacheable++;
  if (status !== 'HIT' && status !== 'SEMANTIC HIT') return;
  tally.hitLatencyMicroseconds += latency;
  if (status === 'HIT') {
    tally.simpleHits++;
    tally.simpleSavingsNanodollars += savings;
  } else {
    tally.semanticHits++;
    tally.semanticSavingsNanodollars += savings;
  }
}

/** What `sums` names, in its order. It is written out, since fields that are named by variables take six times as long. */
export function addSums(into: Tally, numbers: readonly number[]): void {
  into.requests += numbers[0] as number;
  into.errors += numbers[1] as number;
  into.promptTokens += numbers[2] as number;
  into.completionTokens += numbers[3] as number;
  into.totalTokens += numbers[4] as number;
  into.costNanodollars += numbers[5] as number;
  into.latencyMicroseconds += numbers[6] as number;
  into.cacheable += numbers[7] as number;
  into.simpleHits += numbers[8] as number;
  into.semanticHits += numbers[9] as number;
  into.simpleSavingsNanodollars += numbers[10] as number;
  into.semanticSavingsNanodollars += numbers[11] as number;
  into.hitLatencyMicroseconds += numbers[12] as number;
  into.fallbacks += numbers[13] as number;
}

export function addTally(into: Tally, from: Tally): void {
  for (const sum of sums) into[sum] += from[sum];
  if (from.firstSeen < into.firstSeen) into.firstSeen = from.firstSeen;
  if (from.lastSeen > into.lastSeen) into.lastSeen = from.lastSeen;
  for (const [retries, times] of from.retries) count(into.retries, retries, times);
  for (const [bucket, times] of from.latencies) count(into.latencies, bucket, times);
}
