import { invalidInput } from '../../../errors/index.ts';
import { addTally, emptyTally, type Tally } from '../../../recording/rollups/tally.ts';
import { workspaceById } from '../../identity/workspace/index.ts';
import { type PageArguments, requireShallow } from '../../page.ts';
import type { AnalyticsMetric } from '../../types.generated.ts';
import { collectGroupPoints, collectGroups, type Group, type GroupDimension } from './collect-groups.ts';
import { groupValues } from './formulas.ts';
import { isKeptOfUsers, metrics } from './metrics.ts';
import { once } from './once.ts';
import type { AnalyticsScope } from './scope.ts';

type GroupValues = ReturnType<typeof groupValues>;

/** A group as it is shown. What is not kept of users is in `whole`, for which the logs are read when it is asked for. */
export type ShownGroup = GroupValues & {
  value: string | null;
  whole(): Promise<GroupValues>;
  series(metric: AnalyticsMetric): Promise<{ timestamp: Date; value: number }[]>;
};

/** `latencies`: whether percentiles of response times are asked for. */
type GroupArguments = { by: GroupDimension; orderBy: AnalyticsMetric; latencies: boolean } & PageArguments;

/** Groups whose points are drawn: the largest of a page, and the others as one. */
const MOST_DRAWN = 20;

export async function listGroups(scope: AnalyticsScope, args: GroupArguments) {
  requireShallow(args);
  const { by, orderBy, latencies, currentPage, pageSize } = args;
  const isUsers = by === 'user';
  const groups = await collectGroups(scope, by, {
    latencies,
    full: isUsers && !isKeptOfUsers(orderBy),
  });
  const metric = metrics[orderBy];
  groups.sort((a, b) => metric(b.tally) - metric(a.tally));
  const start = currentPage * pageSize;
  const page = groups.slice(start, start + pageSize);
  const others = [...groups.slice(0, start), ...groups.slice(start + pageSize)];
  const values = page.map(({ value }) => value);

  const recount = once(async () => {
    const all = await collectGroups(scope, by, { latencies, full: true });
    const byValue = new Map(all.map(({ value, tally }) => [value, tally]));
    const other = sumOf(all.filter(({ value }) => !values.includes(value)));
    return [...values.map((value) => byValue.get(value) ?? emptyTally()), other];
  });
  const points = once(() => collectGroupPoints(scope, { by, values, full: false }));
  const wholePoints = once(() => collectGroupPoints(scope, { by, values, full: true }));

  const shown = ({ value, tally }: Group, place: number): ShownGroup => {
    const kept = groupValues(tally);
    return {
      ...kept,
      value,
      async whole() {
        return isUsers ? groupValues((await recount())[place] ?? tally) : kept;
      },
      async series(metric) {
        if (pageSize > MOST_DRAWN) {
          throw invalidInput('pageSize', `dataPoints are there for pages of at most ${MOST_DRAWN} groups.`);
        }
        const drawn = await (isUsers && !isKeptOfUsers(metric) ? wholePoints() : points());
        return scope.window.points.starts.map((start, at) => ({
          timestamp: new Date(start),
          value: metrics[metric](drawn[place]?.[at] ?? emptyTally()),
        }));
      },
    };
  };
  const named = by === 'workspace' ? await withSlugs(scope, page) : page;
  return {
    total: groups.length,
    data: named.map(shown),
    other: others.length === 0 ? null : shown({ value: null, tally: sumOf(others) }, page.length),
  };
}

function sumOf(groups: readonly Group[]): Tally {
  const sum = emptyTally();
  for (const { tally } of groups) addTally(sum, tally);
  return sum;
}

/** Groups by workspace with slugs in place of ids, but for workspaces that are gone. */
export const withSlugs = ({ context }: AnalyticsScope, groups: readonly Group[]): Promise<Group[]> =>
  Promise.all(
    groups.map(async ({ value, tally }) => {
      const workspace = value === null ? null : await workspaceById(context).load(value);
      return { value: workspace?.slug ?? value, tally };
    }),
  );
