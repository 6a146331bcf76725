import {
  type Dimension,
  type RequestDimension,
  requestDimensions,
} from '../../../recording/rollups/facets.ts';
import { emptyTally, type Tally } from '../../../recording/rollups/tally.ts';
import { type Met, readFacet } from './reading.ts';
import type { AnalyticsScope } from './scope.ts';
import { eachPoint, pointAt } from './time/window.ts';

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
  endpoint: 'endpoint',
  cache_status: 'cacheStatus',
} as const satisfies Record<string, RequestDimension>;

export type GroupDimension = keyof typeof members | 'workspace' | 'user';

/** `full`: with what is not kept of users; `byPoint`: as in questions of `reading.ts`. */
export type GroupDetail = { latencies: boolean; full: boolean; byPoint?: boolean };

/** All requests of the scope by one dimension, the largest group first; those without a user are in no group of users. */
export async function collectGroups(
  scope: AnalyticsScope,
  by: GroupDimension,
  detail: GroupDetail,
): Promise<Group[]> {
  const groups = new Map<Dimension, Tally>();
  await readGroups(scope, by, detail, (value, { addTo }) => addTo(tallyOf(groups, value)));
  return largestFirst(groups);
}

/** The requests of some groups point by point, in the order of their values, and at last those of all others. */
export async function collectGroupPoints(
  scope: AnalyticsScope,
  { by, values, full }: { by: GroupDimension; values: readonly Group['value'][]; full: boolean },
): Promise<Tally[][]> {
  const places = new Map(values.map((value, index) => [value, index]));
  const points = Array.from({ length: values.length + 1 }, () => eachPoint(scope.window, emptyTally));
  await readGroups(scope, by, { latencies: false, full, byPoint: true }, (value, { moment, addTo }) => {
    const place = places.get(value === null ? null : String(value)) ?? values.length;
    const tally = points[place]?.[pointAt(scope.window, moment)];
    if (tally) addTo(tally);
  });
  return points;
}

async function readGroups(
  scope: AnalyticsScope,
  by: GroupDimension,
  { latencies, full, byPoint = false }: GroupDetail,
  meet: (value: Dimension, met: Met) => void,
): Promise<void> {
  if (by === 'user') {
    return readFacet(scope, { facet: 'users', onlyLogs: full, byPoint }, (met) =>
      meet(met.row[0] as Dimension, met),
    );
  }
  const index = by === 'workspace' ? -1 : requestDimensions.indexOf(members[by]);
  const question = {
    facet: 'requests',
    latencies,
    byPoint,
    byDimension: by !== 'workspace' && by !== 'status_code',
    byLateDimension: by === 'endpoint' || by === 'cache_status',
  } as const;
  return readFacet(scope, question, (met) => {
    meet(by === 'workspace' ? met.workspaceId : (met.row[index] as Dimension), met);
  });
}

export function tallyOf(groups: Map<Dimension, Tally>, value: Dimension): Tally {
  let tally = groups.get(value);
  if (!tally) {
    tally = emptyTally();
    groups.set(value, tally);
  }
  return tally;
}

/** Of groups of one size, the one whose value comes first. */
export const largestFirst = (groups: Map<Dimension, Tally>): Group[] =>
  [...groups]
    .map(([value, tally]) => ({ value: value === null ? null : String(value), tally }))
    .sort((a, b) => b.tally.requests - a.tally.requests || (`${a.value}` < `${b.value}` ? -1 : 1));
