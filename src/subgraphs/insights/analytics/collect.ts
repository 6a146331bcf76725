import { type Dimension, requestDimensions, USER_KEY } from '../../../recording/rollups/facets.ts';
import { count, type HistogramCounts } from '../../../recording/rollups/histogram.ts';
import { addTally, emptyTally, type Tally } from '../../../recording/rollups/tally.ts';
import { largestFirst, type NamedGroup, tallyOf } from './collect-groups.ts';
import { readFacet } from './reading.ts';
import type { AnalyticsScope } from './scope.ts';
import { eachPoint, pointAt } from './time/window.ts';

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
  await readFacet(scope, { facet: 'requests', latencies, byPoint: true }, ({ row, moment, addTo }) => {
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
  await readFacet(scope, { facet: 'users', byPoint: true }, ({ row: [user], moment, addTo }) => {
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

/** Callers may invent names of metadata without end. */
const MAX_METADATA_KEYS = 1000;

/** The metadata keys of the scope's requests, in their order. */
export async function collectMetadataKeys(scope: AnalyticsScope): Promise<string[]> {
  const keys = new Set<string>();
  await Promise.all([
    readFacet(scope, { facet: 'users', onlyKeys: true }, () => keys.add(USER_KEY)),
    readFacet(scope, { facet: 'metadata', onlyKeys: true }, ({ row: [key] }) => keys.add(key as string)),
  ]);
  return [...keys].sort().slice(0, MAX_METADATA_KEYS);
}
