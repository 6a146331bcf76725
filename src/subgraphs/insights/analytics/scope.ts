import type { QueryFilter } from 'mongoose';
import { type Scope as Permission, requireScope, tenantFilter } from '../../../auth/index.ts';
import { invalidInput } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import { beginningOf } from '../../../recording/rollups/beginning.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import type { LogFilters, QueryAnalyticsArgs } from '../../types.generated.ts';
import { searchedIds } from '../log/index.ts';
import { logQuery, needsLogs, withinOwn } from '../log-filters/index.ts';
import { type Window, windowOf } from './time/window.ts';

/** What is asked for: whose requests, of which time, under which filters. */
export type AnalyticsScope = {
  context: GraphContext;
  /** Organisation, and workspace where there is one: part of every query. */
  owner: { organisationId: string; workspaceId?: string };
  window: Window;
  filters: LogFilters;
  /** Whether the filters ask for what no roll-up can tell. */
  needsLogs: boolean;
  /** From when on there are roll-ups. */
  beginning: number;
  /** The filters as a query for logs. */
  logs: QueryFilter<LogRecord>;
};

/** `place`: what errors call the argument with the filters. */
export type AskedScope = {
  workspace: { named: string | null | undefined; param: string };
  window: Window;
  filters: LogFilters;
  place: string;
};

export async function openScope(
  context: GraphContext,
  { workspace: { named, param }, window, filters: given, place }: AskedScope,
  permission: Permission,
): Promise<AnalyticsScope> {
  const principal = requireScope(context.principal, [permission]);
  const filters = withinOwn(principal, given);
  const query = logQuery(filters, place);
  const tenant = tenantFilter(principal);
  const owner =
    named == null ? tenant : { ...tenant, workspaceId: await workspaceIdFor(context, named, param) };
  const beginning = await beginningOf(nativeDb(context.db));
  const scope = { context, owner, window, filters, needsLogs: needsLogs(filters), beginning, logs: query };
  if (filters.search == null) return scope;
  requireScope(principal, ['logs.list']);
  const createdAt = { $gte: new Date(window.from), $lt: new Date(window.end) };
  const found = { $and: [owner, query, { createdAt }] };
  const ids = await searchedIds(context, found, filters.search, `${place}.search`);
  return { ...scope, logs: { $and: [query, { _id: { $in: ids } }] } };
}

type Arguments = Omit<QueryAnalyticsArgs, 'logFilters' | 'timeZone'> &
  Pick<Partial<QueryAnalyticsArgs>, 'logFilters' | 'timeZone'>;

/** What the arguments of analytics ask for. */
export async function scopeOf(
  context: GraphContext,
  { workspaceSlug, timeOfGenerationMin, timeOfGenerationMax, timeZone, filters, logFilters }: Arguments,
  permission: Permission,
): Promise<AnalyticsScope> {
  requireScope(context.principal, [permission]);
  const window = windowOf(timeOfGenerationMin, timeOfGenerationMax, { timeZone: timeZone ?? 'UTC' });
  const workspace = { named: workspaceSlug, param: 'workspaceSlug' };
  if (logFilters == null) {
    return openScope(context, { workspace, window, filters: filters ?? {}, place: 'filters' }, permission);
  }
  if (filters != null) throw invalidInput('filters', 'filters and logFilters exclude each other.');
  for (const name of ['workspaceSlug', 'timeOfGenerationMin', 'timeOfGenerationMax'] as const) {
    if (logFilters[name] == null) continue;
    throw invalidInput(`logFilters.${name}`, `${name} is an argument of its own, beside logFilters.`);
  }
  return openScope(context, { workspace, window, filters: logFilters, place: 'logFilters' }, permission);
}
