import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { GraphError } from '../../../data/graph-error.ts';
import { run } from '../../../data/run.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { type Zone, zoneName } from '../../../format/time.ts';
import type { Range } from '../../../shell/range.ts';
import {
  type LogFilters,
  LogsMoreDocument,
  LogsOpenDocument,
  type LogsOpenQuery,
  LogsSortedDocument,
} from '../documents.ts';
import type { Line } from './line.ts';

export type Order = 'newest' | 'cost' | 'slowest';

/** Rows that are held at most: a longer list breaks browsers, and nobody reads it. */
const MAX_PAGES = 50;

export type Chart = NonNullable<LogsOpenQuery['analytics']>;

type PageOfLines = { lines: Line[]; next: string | null; chart: Chart | null };

export type LinesWanted = {
  /** Null while names that it needs are on their way. */
  filters: LogFilters | null;
  range: Range;
  zone: Zone;
  order: Order;
  hasChart: boolean;
};

/** The logs of the time under the filter, a hundred at a time, with the sums of all of them. */
export function useLines({ filters, range, zone, order, hasChart }: LinesWanted) {
  const workspace = useWorkspace();
  const { from, to } = range;
  const within: LogFilters = {
    ...filters,
    timeOfGenerationMin: from,
    // A range that reaches until now has no end: what comes in belongs to it.
    ...(!range.isOpen && { timeOfGenerationMax: to }),
  };
  const sums = {
    chartFilters: filters,
    from,
    to,
    workspace,
    zone: zoneName(zone),
    chart: hasChart,
  };

  async function readPage(after: string | null, signal: AbortSignal): Promise<PageOfLines> {
    const options = { workspace, signal };
    if (order !== 'newest') return readSorted(Number(after ?? 0), options);
    if (after !== null) {
      const { logHistory } = await run(LogsMoreDocument, { filters: within, after }, options);
      return {
        lines: logHistory?.data ?? [],
        next: logHistory?.hasMore ? logHistory.lastId : null,
        chart: null,
      };
    }
    const answer = await run(LogsOpenDocument, { filters: within, ...sums }, options);
    const { logHistory: page, analytics = null } = answer;
    return { lines: page?.data ?? [], next: page?.hasMore ? page.lastId : null, chart: analytics ?? null };
  }

  async function readSorted(
    page: number,
    options: { workspace: string | null; signal: AbortSignal },
  ): Promise<PageOfLines> {
    const sort = { field: order === 'cost' ? 'cost' : 'responseTime', direction: 'desc' } as const;
    const { logs } = await run(LogsSortedDocument, { filters: within, sort, page }, options);
    const seen = (page + 1) * 100;
    return {
      lines: logs?.data ?? [],
      next: seen < (logs?.total ?? 0) ? String(page + 1) : null,
      chart: null,
    };
  }

  const query = useInfiniteQuery<
    PageOfLines,
    GraphError,
    InfiniteData<PageOfLines>,
    readonly unknown[],
    string | null
  >({
    queryKey: ['Logs', workspace, within, order, hasChart, zone],
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: null,
    getNextPageParam: ({ next }, all) => (all.length < MAX_PAGES ? next : null),
    enabled: filters !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    placeholderData: (before) => before,
  });
  const lines = useMemo(() => query.data?.pages.flatMap((page) => page.lines) ?? [], [query.data]) as Line[];
  return { ...query, lines, chart: query.data?.pages[0]?.chart ?? null };
}
