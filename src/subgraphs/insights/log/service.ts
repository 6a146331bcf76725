import type { QueryFilter } from 'mongoose';
import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log-record.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import type { PageArguments } from '../../page.ts';
import type { QueryLogsArgs } from '../../types.generated.ts';
import { logQuery } from './filters.ts';
import { logById } from './loaders.ts';
import { logModel } from './model.ts';

type ListArguments = QueryLogsArgs & PageArguments;

/** A list of logs that is yet to be read: the number of all matches is counted only when it is asked for. */
export type LogSelection = PageArguments & { filter: QueryFilter<LogRecord> };

export async function getLog(context: GraphContext, id: string): Promise<LogRecord> {
  requireScope(context.principal, ['logs.view']);
  const found = await logById(context).load(id);
  if (!found) throw new GatewayError('NOT_FOUND', { message: 'The log does not exist.' });
  return found;
}

/** For references from other resources: null when the log is gone or out of the credential's reach. */
export async function referencedLog(context: GraphContext, id: string): Promise<LogRecord | null> {
  requireScope(context.principal, ['logs.view']);
  return logById(context).load(id);
}

export async function selectLogs(context: GraphContext, args: ListArguments): Promise<LogSelection> {
  const principal = requireScope(context.principal, ['logs.list']);
  const { filters, currentPage, pageSize } = args;
  const workspace = filters?.workspaceSlug;
  return {
    currentPage,
    pageSize,
    filter: {
      ...tenantFilter(principal),
      ...(workspace && { workspaceId: await workspaceIdFor(context, workspace) }),
      ...logQuery(filters ?? {}),
    },
  };
}

export const countLogs = (context: GraphContext, { filter }: LogSelection): Promise<number> =>
  logModel(context.db).countDocuments(filter).exec();

export const readLogs = (
  context: GraphContext,
  { filter, currentPage, pageSize }: LogSelection,
): Promise<LogRecord[]> =>
  logModel(context.db)
    .find(filter)
    .sort({ createdAt: -1, _id: -1 })
    .skip(currentPage * pageSize)
    .limit(pageSize)
    .lean<LogRecord[]>()
    .exec();
