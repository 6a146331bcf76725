import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import type { LogFacetField, LogFilters, QueryLogFacetsArgs } from '../../types.generated.ts';
import { logModel } from '../log/index.ts';
import { findLogQuery } from '../log-filters/index.ts';
import { collectGroups } from './collect-groups.ts';
import { withSlugs } from './group-page.ts';
import { type AnalyticsScope, openScope } from './scope.ts';
import { LONGEST, windowOf } from './time/window.ts';

/** Fields by which no roll-up tells requests apart, and the members of a log that have them. */
const ofLogs = { user_id: '$userId', source: '$source', stream: '$streamMode' } as const;

const isOfLogs = (field: LogFacetField): field is keyof typeof ofLogs => field in ofLogs;

/** The values that a field has in the logs which the filters let through, the most frequent first. */
export async function listFacets(
  context: GraphContext,
  { filters, field, limit }: Pick<QueryLogFacetsArgs, 'filters' | 'field'> & { limit: number },
) {
  const scope = await sharedScope(context, filters ?? {});
  if (isOfLogs(field)) return countLogsBy(scope, field, limit);
  const groups = await collectGroups(scope, field, { latencies: false, full: false });
  const largest = groups.slice(0, limit);
  const named = field === 'workspace' ? await withSlugs(scope, largest) : largest;
  return {
    total: groups.length,
    data: named.map(({ value, tally }) => ({ value, count: tally.requests })),
  };
}

const scopes = perRequest(() => new Map<string, Promise<AnalyticsScope>>());

/** One scope for all fields of a request that are asked for under the same filters: they are read together. */
function sharedScope(context: GraphContext, filters: LogFilters): Promise<AnalyticsScope> {
  const known = scopes(context);
  const key = JSON.stringify(filters);
  const scope = known.get(key) ?? scopeOfList(context, filters);
  known.set(key, scope);
  return scope;
}

/** The scope that lists of logs have under these filters. */
async function scopeOfList(context: GraphContext, filters: LogFilters): Promise<AnalyticsScope> {
  const { workspaceSlug: named, weightedFeedbackMin, weightedFeedbackMax, ...others } = filters;
  const max = filters.timeOfGenerationMax ?? context.now();
  const min = filters.timeOfGenerationMin ?? new Date(max.getTime() - LONGEST);
  const window = windowOf(min, max, { timeZone: 'UTC', param: 'filters.timeOfGenerationMax' });
  const workspace = { named, param: 'filters.workspaceSlug' };
  const scope = await openScope(
    context,
    { workspace, window, filters: others, place: 'filters' },
    'logs.list',
  );
  if (weightedFeedbackMin == null && weightedFeedbackMax == null) return scope;
  // Lists of logs ask for the average on a log's trace, analytics for some feedback on it.
  const feedback = { weightedFeedbackMin, weightedFeedbackMax, timeOfGenerationMin: min };
  const query = await findLogQuery(context.db, scope.owner, feedback);
  return { ...scope, needsLogs: true, logs: { $and: [scope.logs, query] } };
}

type Counted = { _id: string | number | null; count: number };

async function countLogsBy(
  { context, owner, window, logs }: AnalyticsScope,
  field: keyof typeof ofLogs,
  limit: number,
) {
  const createdAt = { $gte: new Date(window.from), $lt: new Date(window.end) };
  const counted = await orTooSlow(
    logModel(context.db)
      .aggregate<Counted>(
        [
          { $match: { $and: [{ ...owner, createdAt }, logs] } },
          { $group: { _id: ofLogs[field], count: { $sum: 1 } } },
          { $sort: { count: -1, _id: 1 } },
        ],
        boundedRead,
      )
      .exec(),
  );
  const data = counted.slice(0, limit).map(({ _id, count }) => ({ value: shown(_id), count }));
  return { total: counted.length, data };
}

/** A stream is stored as 1. */
const shown = (value: Counted['_id']): string | null =>
  typeof value === 'number' ? String(value === 1) : (value ?? null);
