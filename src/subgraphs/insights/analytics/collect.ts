import {
  type Dimension,
  type RequestDimension,
  requestDimensions,
  USER_KEY,
} from '../../../recording/rollups/facets.ts';
import { count, type HistogramCounts } from '../../../recording/rollups/histogram.ts';
import { addTally, emptyTally, type Tally } from '../../../recording/rollups/tally.ts';
import { readFacet } from './reading.ts';
import type { AnalyticsScope } from './scope.ts';
import { eachPoint, pointAt } from './window.ts';

/** The requests of one point of a graph, or of all of it. */
export type Point = { timestamp: Date; tally: Tally; statuses: HistogramCounts };
export type Series = { points: Point[]; total: Point };

const statusAt = requestDimensions.indexOf('status');

/** All requests of the scope, point by point and together. */
export async function collectSeries(
  scope: AnalyticsScope,
  { latencies }: { latencies: boolean },
): Promise<Series> {
  const pointOf = (timestamp: Date): Point => ({ timestamp, tally: emptyTally(), statuses: new Map() });
  const points = eachPoint(scope.window, pointOf);
  await readFacet(scope, { facet: 'requests', latencies }, ({ row, moment, addTo }) => {
    const point = points[pointAt(scope.window, moment)];
    if (!point) return;
    const before = point.tally.requests;
    addTo(point.tally);
    count(point.statuses, row[statusAt] as number, point.tally.requests - before);
  });
  const total = pointOf(new Date(scope.window.from));
  for (const { tally, statuses } of points) {
    addTally(total.tally, tally);
    for (const [status, times] of statuses) count(total.statuses, status, times);
  }
  return { points, total };
}

export type Group = { value: string | null; tally: Tally };
/** The requests of a user, or with a value of a metadata key: those without any are in no group. */
export type NamedGroup = Group & { value: string };

const members = {
  ai_service: 'aiProvider',
  model: 'aiModel',
  status_code: 'status',
  api_key: 'apiKeyId',
  config: 'configSlug',
  provider: 'providerSlug',
  prompt: 'prompt',
} as const satisfies Record<string, RequestDimension>;

export type GroupDimension = keyof typeof members | 'workspace';

/** All requests of the scope by one dimension, the largest group first. */
export async function collectGroups(
  scope: AnalyticsScope,
  by: GroupDimension,
  { latencies }: { latencies: boolean },
): Promise<Group[]> {
  const index = by === 'workspace' ? -1 : requestDimensions.indexOf(members[by]);
  const byDimension = by !== 'workspace' && by !== 'status_code';
  const groups = new Map<Dimension, Tally>();
  await readFacet(scope, { facet: 'requests', latencies, byDimension }, ({ row, workspaceId, addTo }) => {
    addTo(tallyOf(groups, by === 'workspace' ? workspaceId : (row[index] as Dimension)));
  });
  return largestFirst(groups);
}

/** The users of each point, and all requests of each user. */
export type UserSeries = {
  points: { timestamp: Date; users: Set<string>; requests: number }[];
  groups: NamedGroup[];
};

export async function collectUsers(scope: AnalyticsScope): Promise<UserSeries> {
  const points = eachPoint(scope.window, (timestamp) => ({
    timestamp,
    users: new Set<string>(),
    requests: 0,
  }));
  const groups = new Map<Dimension, Tally>();
  await readFacet(scope, { facet: 'users' }, ({ row: [user], moment, addTo }) => {
    const point = points[pointAt(scope.window, moment)];
    if (!point) return;
    const tally = tallyOf(groups, user as string);
    const before = tally.requests;
    addTo(tally);
    point.users.add(user as string);
    point.requests += tally.requests - before;
  });
  return { points, groups: largestFirst(groups) as NamedGroup[] };
}

/** The requests with a metadata key by its values. */
export async function collectMetadata(scope: AnalyticsScope, key: string): Promise<NamedGroup[]> {
  const groups = new Map<Dimension, Tally>();
  const facet = key === USER_KEY ? 'users' : 'metadata';
  await readFacet(scope, { facet, key }, ({ row, addTo }) => {
    const [first, second] = row;
    if (facet === 'users') addTo(tallyOf(groups, first as string));
    else if (first === key) addTo(tallyOf(groups, second as string));
  });
  return largestFirst(groups) as NamedGroup[];
}

function tallyOf(groups: Map<Dimension, Tally>, value: Dimension): Tally {
  let tally = groups.get(value);
  if (!tally) {
    tally = emptyTally();
    groups.set(value, tally);
  }
  return tally;
}

/** Of groups of one size, the one whose value comes first. */
const largestFirst = (groups: Map<Dimension, Tally>): Group[] =>
  [...groups]
    .map(([value, tally]) => ({ value: value === null ? null : String(value), tally }))
    .sort((a, b) => b.tally.requests - a.tally.requests || (`${a.value}` < `${b.value}` ? -1 : 1));
