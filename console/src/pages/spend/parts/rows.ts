import { moneyAligned } from '../../../format/money.ts';
import { csvLine } from '../../../ui/csv.ts';
import type { SpendByMetadataQuery, SpendQuery } from '../documents.ts';
import { type By, nameOf } from './dimension.ts';

type Answer = NonNullable<SpendQuery['now']>;
type Group = Answer['groups']['data'][number];

/** A line of the table; what is not known of it is null. */
export type Row = {
  /** As the graph calls it; null for what all others come to. */
  value: string | null;
  name: string;
  /** US cents. */
  cost: number;
  /** Share of 1 of all costs. */
  share: number;
  /** US cents in the time before. */
  before: number | null;
  requests: number;
  tokens: number | null;
  p95: number | null;
  success: number | null;
  cache: number | null;
  /** Whether it was called, and nobody knows what for. */
  isUnpriced: boolean;
};

const shareOf = (cost: number, whole: number): number => (whole === 0 ? 0 : cost / whole);

/** The groups, and what is left of them, so that the lines add up to the whole. */
export function rowsOf(by: By, { now, before, apiKeys }: SpendQuery): Row[] {
  if (!now) return [];
  const whole = now.cost.summary.total;
  const earlier = new Map(before?.groups.data.map(({ value, cost }) => [value, cost]));
  const names = new Map(apiKeys?.data.map(({ id, name }) => [id, name]));
  const row = (group: Group, name: string): Row => ({
    value: group.value,
    name,
    cost: group.cost,
    share: shareOf(group.cost, whole),
    before: earlier.get(group.value) ?? null,
    requests: group.requests,
    tokens: group.totalTokens,
    p95: group.p95Latency,
    success: group.successRate / 100,
    cache: group.cacheHitRate / 100,
    isUnpriced: group.cost === 0 && group.totalTokens > 0 && group.cacheHitRate < 100,
  });
  const { data, other } = now.groups;
  return [
    ...data.map((group) => row(group, nameOf(by, group.value, names))),
    ...(other ? [row(other, 'everything else')] : []),
  ];
}

/** The values of a metadata key, and the requests without it. */
export function metadataRows({ now }: SpendByMetadataQuery): Row[] {
  if (!now) return [];
  const whole = now.cost.summary.total;
  const blank = { before: null, tokens: null, p95: null, success: null, cache: null, isUnpriced: false };
  const rows = now.metadataGroups.data.map(({ metadataValue, requests, cost, avgTokens }) => ({
    ...blank,
    value: metadataValue,
    name: metadataValue,
    cost,
    share: shareOf(cost, whole),
    requests,
    tokens: Math.round(avgTokens * requests),
  }));
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
  const requests = now.requests.summary.total - sum((row) => row.requests);
  const cost = Math.max(whole - sum((row) => row.cost), 0);
  const rest = {
    ...blank,
    value: null,
    name: 'without the key',
    cost,
    share: shareOf(cost, whole),
    requests,
  };
  return [...rows, ...(requests > 0 ? [rest] : [])].sort((one, other) => other.cost - one.cost);
}

/** The lines of the table as CSV, in dollars. */
export const csvOf = (head: string, rows: readonly Row[]): string =>
  [
    `${head},cost_usd,share,requests,tokens,p95_ms,success_rate,cache_hit_rate`,
    ...rows.map(({ name, cost, share, requests, tokens, p95, success, cache }) =>
      csvLine([
        name,
        moneyAligned(cost, 6).replace(/[$,]/g, ''),
        share.toFixed(4),
        requests,
        tokens ?? '',
        p95 === null ? '' : Math.round(p95),
        success?.toFixed(4) ?? '',
        cache?.toFixed(4) ?? '',
      ]),
    ),
    '',
  ].join('\n');
