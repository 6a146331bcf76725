import { requireScope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { StoredAuditEntry } from '../../../recording/audit/chain.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { countItems, findPage, type PageArguments } from '../../page.ts';
import { recordsAdded } from '../../records-added.ts';
import type { AuditLogFilters, QueryAuditLogsArgs } from '../../types.generated.ts';
import { auditLogModel } from './model.ts';

type ListArguments = QueryAuditLogsArgs & PageArguments;

/** The entries that are written from now on, of those that the filters let through. */
export async function auditEntriesAdded(
  context: GraphContext,
  filters: AuditLogFilters | null | undefined,
): Promise<AsyncIterableIterator<StoredAuditEntry>> {
  const filter = await filterOf(context, filters);
  const { organisationId } = filter;
  return recordsAdded(context, {
    kind: 'audit_entry',
    model: auditLogModel(context.db),
    tenant: { organisationId },
    filter,
  });
}

/** The entries of the caller's organisation that the filters let through, whenever they were. */
export async function filterOf(context: GraphContext, filters: AuditLogFilters | null | undefined) {
  const { organisationId } = requireScope(context.principal, ['audit_logs.list']);
  const { organisationId: named, workspaceId: workspace, ...members } = filters ?? {};
  if (named && named !== organisationId) {
    throw new GatewayError('FORBIDDEN', {
      message: 'A credential may not name another organisation.',
      param: 'filters.organisationId',
    });
  }
  return {
    organisationId,
    ...(workspace && { workspaceId: await workspaceIdFor(context, workspace) }),
    ...Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)),
  };
}

export async function listAuditLogs(context: GraphContext, args: ListArguments) {
  const matching = await filterOf(context, args.filters);
  requireSpan(args);
  const filter = { ...matching, timestamp: { $gte: args.startTime, $lt: args.endTime } };
  const model = auditLogModel(context.db);
  const sign = args.order === 'asc' ? 1 : -1;
  const order = { by: { timestamp: sign, _id: sign } } as const;
  // A page of nothing asks for the number alone; to the store a limit of 0 would mean no limit.
  if (args.pageSize === 0) return { total: await countItems(model, filter, order), records: [] };
  const { total, data } = await findPage<StoredAuditEntry>(model, filter, args, order);
  return { total, records: data };
}

export function requireSpan({ startTime, endTime }: Pick<QueryAuditLogsArgs, 'startTime' | 'endTime'>): void {
  if (endTime <= startTime) throw invalidInput('endTime', 'end_time must be after start_time.');
}
