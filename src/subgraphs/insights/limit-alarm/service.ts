import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { type LimitAlarmDocument, limitAlarmModel } from '../../../limits/alarms/index.ts';
import type { GraphContext } from '../../context.ts';
import { namedWorkspaceId } from '../../identity/workspace/index.ts';
import { findPage, type PageArguments } from '../../page.ts';
import { recordsAdded } from '../../records-added.ts';
import type { QueryLimitAlarmsArgs } from '../../types.generated.ts';

/** The alarms that the credential reaches, or those of one workspace. */
async function ownerOf(context: GraphContext, workspaceId: string | null | undefined) {
  const principal = requireScope(context.principal, ['policies.list']);
  const own = tenantFilter(principal);
  return workspaceId ? { ...own, workspaceId: await namedWorkspaceId(context, workspaceId) } : own;
}

export async function listLimitAlarms(context: GraphContext, args: QueryLimitAlarmsArgs & PageArguments) {
  const { kind, limitId, workspaceId } = args;
  const owner = await ownerOf(context, workspaceId);
  return findPage<LimitAlarmDocument>(
    limitAlarmModel(context.db),
    { ...owner, ...(kind && { kind }), ...(limitId && { limitId }) },
    args,
  );
}

/** Those that are raised from now on. */
export async function limitAlarmsRaised(
  context: GraphContext,
  workspaceId: string | null | undefined,
): Promise<AsyncIterableIterator<LimitAlarmDocument>> {
  const tenant = await ownerOf(context, workspaceId);
  const model = limitAlarmModel(context.db);
  return recordsAdded(context, { kind: 'limit_alarm', model, tenant, filter: tenant });
}
