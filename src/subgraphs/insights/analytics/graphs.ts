import type { HistogramCounts } from '../../../recording/rollups/histogram.ts';
import type { Point, Series, UserSeries } from './collect.ts';
import type { Given } from './feedback.ts';
import { weighted } from './feedback.ts';
import {
  cacheSummary,
  cost,
  errorRate,
  hitLatency,
  hitRate,
  hits,
  latency,
  retried,
  savings,
  tokens,
} from './formulas.ts';
import type { AnalyticsScope } from './scope.ts';
import { eachPoint, pointAt } from './time/window.ts';

/** A graph whose summary and points are made in the same way. */
const graphOf =
  <T>(valuesOf: (point: Point) => T) =>
  ({ points, total }: Series) => ({
    summary: valuesOf(total),
    dataPoints: points.map((point) => ({ timestamp: point.timestamp, ...valuesOf(point) })),
  });

const isError = (status: number): boolean => status < 200 || status > 299;

const errorsOf = (statuses: HistogramCounts) => [...statuses].filter(([status]) => isError(status));

/** Graphs of requests, by the name of their field. */
export const requestGraphs = {
  requests: graphOf(({ tally }) => ({ total: tally.requests })),
  cost: graphOf(({ tally }) => cost(tally)),
  tokens: graphOf(({ tally }) => tokens(tally)),
  errors: graphOf(({ tally }) => ({ total: tally.errors })),
  errorRate: graphOf(({ tally }) => ({ rate: errorRate(tally) })),
  cacheLatency: graphOf(({ tally }) => ({ avg: hitLatency(tally) })),
  cacheSummary: ({ total }: Series) => ({ summary: cacheSummary(total.tally) }),
  errorStacks: ({ points, total }: Series) => ({
    summary: { total: total.tally.errors },
    dataPoints: points.map(({ timestamp, statuses }) => ({
      timestamp,
      stats: errorsOf(statuses)
        .sort(([a], [b]) => a - b)
        .map(([responseStatusCode, count]) => ({ responseStatusCode, count })),
    })),
  }),
  statusCodes({ total }: Series) {
    const errors = errorsOf(total.statuses).sort(([a, x], [b, y]) => y - x || a - b);
    return {
      summary: { totalErrors: total.tally.errors, uniqueErrorCodes: errors.length },
      dataPoints: errors.map(([statusCode, count]) => ({ statusCode, count })),
    };
  },
  rescuedRequests: ({ points, total }: Series) => ({
    summary: { retry: retried(total.tally), fallback: total.tally.fallbacks },
    dataPoints: points.map(({ timestamp, tally }) => ({
      timestamp,
      retry: [...tally.retries]
        .sort(([a], [b]) => a - b)
        .map(([retrySuccessCount, count]) => ({ retrySuccessCount, count })),
      fallback: tally.fallbacks,
    })),
  }),
  cacheHitRate({ points, total }: Series) {
    let simple = 0;
    let semantic = 0;
    return {
      summary: { total: hits(total.tally), rate: hitRate(total.tally) },
      dataPoints: points.map(({ timestamp, tally }) => {
        // Added up as whole numbers.
        simple += tally.simpleSavingsNanodollars;
        semantic += tally.semanticSavingsNanodollars;
        const sum = savings({ simpleSavingsNanodollars: simple, semanticSavingsNanodollars: semantic });
        return {
          timestamp,
          simpleHits: tally.simpleHits,
          semanticHits: tally.semanticHits,
          rate: hitRate(tally),
          cumulativeSimpleCacheSavings: sum.simple,
          cumulativeSemanticCacheSavings: sum.semantic,
        };
      }),
    };
  },
};

export const latencyGraph = graphOf(({ tally }) => latency(tally));

const average = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);

/** Graphs of users, by the name of their field. */
export const userGraphs = {
  users: ({ points, groups }: UserSeries) => ({
    summary: { total: groups.length },
    dataPoints: points.map(({ timestamp, users }) => ({ timestamp, total: users.size })),
  }),
  userRequests({ points, groups }: UserSeries) {
    const total = groups.reduce((sum, { tally }) => sum + tally.requests, 0);
    return {
      summary: { total, unique: groups.length, avg: average(total, groups.length) },
      dataPoints: points.map(({ timestamp, users, requests }) => ({
        timestamp,
        avg: average(requests, users.size),
      })),
    };
  },
};

const averageWeighted = (given: readonly Given[]): number =>
  average(
    given.reduce((sum, one) => sum + weighted(one), 0),
    given.length,
  );

function pointsOf({ window }: AnalyticsScope, given: readonly Given[]) {
  const points = eachPoint(window, (timestamp) => ({ timestamp, given: [] as Given[] }));
  for (const one of given) points[pointAt(window, one.createdAt.getTime())]?.given.push(one);
  return points;
}

/** Graphs of feedback, by the name of their field. */
export const feedbackGraphs = {
  feedback: (scope: AnalyticsScope, all: readonly Given[]) => ({
    summary: { total: all.length },
    dataPoints: pointsOf(scope, all).map(({ timestamp, given }) => ({ timestamp, total: given.length })),
  }),
  weightedFeedback: (scope: AnalyticsScope, all: readonly Given[]) => ({
    summary: { avg: averageWeighted(all) },
    dataPoints: pointsOf(scope, all).map(({ timestamp, given }) => ({
      timestamp,
      avg: averageWeighted(given),
    })),
  }),
  feedbackScores: (_scope: AnalyticsScope, all: readonly Given[]) => ({
    summary: { total: all.length },
    dataPoints: [...Map.groupBy(all, ({ value }) => value)]
      .sort(([a], [b]) => a - b)
      .map(([score, given]) => ({ score, total: given.length })),
  }),
  feedbackByModel: (_scope: AnalyticsScope, all: readonly Given[]) => ({
    summary: { total: all.length },
    dataPoints: [...Map.groupBy(all, ({ aiModel }) => aiModel ?? null)]
      .sort(([a, x], [b, y]) => y.length - x.length || (`${a}` < `${b}` ? -1 : 1))
      .map(([aiModel, given]) => ({
        aiModel,
        total: given.length,
        avgWeightedFeedback: averageWeighted(given),
      })),
  }),
};
