import type { Tally } from '../../../recording/rollups/tally.ts';
import type { AnalyticsMetric } from '../../types.generated.ts';
import { cost, groupValues } from './formulas.ts';

/** What a metric says of requests. */
export const metrics: Record<AnalyticsMetric, (tally: Tally) => number> = {
  requests: ({ requests }) => requests,
  cost: (tally) => cost(tally).total,
  tokens: ({ totalTokens }) => totalTokens,
  errors: ({ errors }) => errors,
  avg_latency: (tally) => (tally.requests === 0 ? 0 : groupValues(tally).avgLatency),
};

/** Those that are kept of users too. */
const keptOfUsers: readonly AnalyticsMetric[] = ['requests', 'cost', 'tokens'];

export const isKeptOfUsers = (metric: AnalyticsMetric): boolean => keptOfUsers.includes(metric);

/** What is shown of a group that is not kept of users: it is worked out from the logs. */
export const notKeptOfUsers = [
  'avgInputTokens',
  'avgOutputTokens',
  'avgLatency',
  'p95Latency',
  'p99Latency',
  'successRate',
  'errorCount',
  'cacheHitRate',
] as const satisfies readonly (keyof ReturnType<typeof groupValues>)[];
