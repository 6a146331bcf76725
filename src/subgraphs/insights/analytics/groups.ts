import { type PageArguments, requireShallow } from '../../page.ts';
import type { AnalyticsColumn } from '../../types.generated.ts';
import { collectMetadata } from './collect.ts';
import { collectGroups, type Group, type GroupDimension, type NamedGroup } from './collect-groups.ts';
import { type Given, readFeedback, readLogsOf, traceOf, weighted } from './feedback.ts';
import { groupValues } from './formulas.ts';
import { withSlugs } from './group-page.ts';
import { notKeptOfUsers } from './metrics.ts';
import type { AnalyticsScope } from './scope.ts';

/** The values that the columns of REST stand for. */
const columnValues = {
  cost: 'cost',
  total_tokens: 'totalTokens',
  avg_tokens: 'avgTokens',
  avg_input_tokens: 'avgInputTokens',
  avg_output_tokens: 'avgOutputTokens',
  avg_latency: 'avgLatency',
  p95_latency: 'p95Latency',
  p99_latency: 'p99Latency',
  success_rate: 'successRate',
  error_count: 'errorCount',
  cache_hit_rate: 'cacheHitRate',
  last_seen: 'lastSeen',
  first_seen: 'firstSeen',
} as const satisfies Record<AnalyticsColumn, keyof ReturnType<typeof groupValues>>;

type Page<T> = { total: number; data: T[] };

function pageOf<T>(groups: readonly T[], { currentPage, pageSize }: PageArguments): Page<T> {
  const start = currentPage * pageSize;
  return { total: groups.length, data: groups.slice(start, start + pageSize) };
}

export async function listGroupRows(
  scope: AnalyticsScope,
  args: { by: GroupDimension; columns?: readonly AnalyticsColumn[] | null } & PageArguments,
) {
  const { by } = args;
  const columns = args.columns ?? [];
  requireShallow(args);
  const latencies = columns.some((column) => column === 'p95_latency' || column === 'p99_latency');
  const full = columns.some((column) => notKeptOfUsers.some((name) => name === columnValues[column]));
  const { total, data } = pageOf(await collectGroups(scope, by, { latencies, full }), args);
  const named = by === 'workspace' ? await withSlugs(scope, data) : data;
  const rowOf = ({ value, tally }: Group) => {
    const values = groupValues(tally);
    const shown = columns.map((column) => [column, values[columnValues[column]]]);
    return {
      [by]: value,
      requests: values.requests,
      ...Object.fromEntries(shown),
      object: 'analytics-group',
    };
  };
  return { total, data: named.map(rowOf) };
}

export function listUsers(groups: readonly NamedGroup[], args: PageArguments) {
  requireShallow(args);
  const { total, data } = pageOf(groups, args);
  return { total, data: data.map(({ value, tally }) => ({ user: value, ...groupValues(tally) })) };
}

export async function listMetadata(scope: AnalyticsScope, args: { key: string } & PageArguments) {
  requireShallow(args);
  const { total, data } = pageOf(await collectMetadata(scope, args.key), args);
  const opinions = await opinionsBy(scope, args.key);
  return {
    total,
    data: data.map(({ value, tally }) => ({
      metadataValue: value,
      ...groupValues(tally),
      ...opinionOf(opinions.get(value)),
    })),
  };
}

/** The requests of a metadata value that have feedback, and that feedback. */
type Opinion = { requests: number; feedback: Set<Given> };

const opinionOf = (opinion: Opinion | undefined) => {
  if (!opinion) return { avgWeightedFeedback: 0, requestsWithFeedback: 0 };
  const sum = [...opinion.feedback].reduce((total, given) => total + weighted(given), 0);
  return { avgWeightedFeedback: sum / opinion.feedback.size, requestsWithFeedback: opinion.requests };
};

async function opinionsBy(scope: AnalyticsScope, key: string): Promise<Map<string, Opinion>> {
  const { from, end } = scope.window;
  const given = await readFeedback(scope, null);
  const byTrace = Map.groupBy(given, traceOf);
  const opinions = new Map<string, Opinion>();
  await readLogsOf(scope, given, (record) => {
    const value = record.metadata?.[key];
    const moment = record.createdAt.getTime();
    const feedback = byTrace.get(traceOf(record));
    if (value === undefined || !feedback || moment < from || moment >= end) return;
    const opinion = opinions.get(value) ?? { requests: 0, feedback: new Set() };
    opinions.set(value, opinion);
    opinion.requests++;
    for (const one of feedback) opinion.feedback.add(one);
  });
  return opinions;
}
