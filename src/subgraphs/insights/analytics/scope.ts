import type { QueryFilter } from 'mongoose';
import { type Scope as Permission, requireScope, tenantFilter } from '../../../auth/index.ts';
import { invalidInput } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import { beginningOf } from '../../../recording/rollups/beginning.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdsNamed } from '../../identity/workspace/index.ts';
import type { AnalyticsFilters, QueryAnalyticsArgs } from '../../types.generated.ts';
import { logsQuery } from './filters.ts';
import { type Window, windowOf } from './window.ts';

/** What is asked for: whose requests, of which time, under which filters. */
export type AnalyticsScope = {
  context: GraphContext;
  /** Organisation, and workspace where there is one: part of every query. */
  owner: { organisationId: string; workspaceId?: string };
  window: Window;
  filters: AnalyticsFilters;
  /** From when on there are roll-ups. */
  beginning: number;
  /** The filters as a query for logs. */
  logs: QueryFilter<LogRecord>;
};

export async function scopeOf(
  context: GraphContext,
  args: QueryAnalyticsArgs,
  permission: Permission,
): Promise<AnalyticsScope> {
  const principal = requireScope(context.principal, [permission]);
  const window = windowOf(args.timeOfGenerationMin, args.timeOfGenerationMax);
  const filters = args.filters ?? {};
  const logs = logsQuery(filters);
  const owner = tenantFilter(principal);
  const { workspaceSlug } = args;
  const beginning = await beginningOf(nativeDb(context.db));
  const scope = { context, owner, window, filters, beginning, logs };
  if (workspaceSlug == null || owner.workspaceId) return scope;
  const named = await workspaceIdsNamed(context.db, owner.organisationId, [workspaceSlug]);
  const workspaceId = named.get(workspaceSlug);
  if (!workspaceId) {
    throw invalidInput('workspaceSlug', 'workspaceSlug names no workspace of this organisation.');
  }
  return { ...scope, owner: { ...owner, workspaceId } };
}
