import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { StoredAuditEntry } from '../../../recording/audit-trail.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { countItems, findPage, type PageArguments } from '../../page.ts';
import type { QueryAuditLogsArgs } from '../../types.generated.ts';
import { auditLogModel } from './model.ts';

type ListArguments = QueryAuditLogsArgs & PageArguments;

export async function listAuditLogs(context: GraphContext, args: ListArguments) {
  const { organisationId } = requireScope(context.principal, ['audit_logs.list']);
  const { organisationId: named, workspaceId: workspace, ...members } = args.filters ?? {};
  if (named && named !== organisationId) {
    throw new GatewayError('FORBIDDEN', {
      message: 'A credential may not name another organisation.',
      param: 'filters.organisationId',
    });
  }
  if (args.endTime <= args.startTime) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'end_time must be after start_time.',
      param: 'endTime',
    });
  }
  const filter = {
    organisationId,
    timestamp: { $gte: args.startTime, $lt: args.endTime },
    ...(workspace && { workspaceId: await workspaceIdFor(context, workspace) }),
    ...Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)),
  };
  const model = auditLogModel(context.db);
  const sign = args.order === 'asc' ? 1 : -1;
  const order = { by: { timestamp: sign, _id: sign } } as const;
  // A page of nothing asks for the number alone; to the store a limit of 0 would mean no limit.
  if (args.pageSize === 0) return { total: await countItems(model, filter, order), records: [] };
  const { total, data } = await findPage<StoredAuditEntry>(model, filter, args, order);
  return { total, records: data };
}
