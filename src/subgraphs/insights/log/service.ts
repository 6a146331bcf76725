import type { QueryFilter } from 'mongoose';
import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import type { GraphContext } from '../../context.ts';
import { type CursorArguments, findCursorPage } from '../../cursor-page.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { type Order, orderOf, type SortArgument } from '../../order.ts';
import {
  countItems,
  type PageArguments,
  readPage,
  requireShallow,
  type SortedPageArguments,
} from '../../page.ts';
import { recordsAdded } from '../../records-added.ts';
import type { LogFilters, QueryLogHistoryArgs, QueryLogsArgs } from '../../types.generated.ts';
import { findLogQuery } from './find-query.ts';
import { logById } from './loaders.ts';
import { logModel } from './model.ts';
import { requireViewer, requireVisible } from './visible.ts';

type ListArguments = QueryLogsArgs & SortedPageArguments;
type HistoryArguments = QueryLogHistoryArgs & CursorArguments;

/** A list of logs that is yet to be read: the number of all matches is counted only when it is asked for. */
export type LogSelection = PageArguments & { order: Order; filter: QueryFilter<LogRecord> };

export async function getLog(context: GraphContext, id: string): Promise<LogRecord> {
  const found = await referencedLog(context, id);
  if (!found) throw new GatewayError('NOT_FOUND', { message: 'The log does not exist.' });
  return found;
}

/** For references from other resources: null when the log is gone or out of the credential's reach. */
export async function referencedLog(context: GraphContext, id: string): Promise<LogRecord | null> {
  requireViewer(context.principal);
  const found = await logById(context).load(id);
  if (found) requireVisible(context.principal, found);
  return found;
}

export async function selectLogs(context: GraphContext, args: ListArguments): Promise<LogSelection> {
  const principal = requireScope(context.principal, ['logs.list']);
  requireShallow(args, 'use logHistory or narrow the list by filters');
  const { filters, currentPage, pageSize, sort } = args;
  const filter = { ...tenantFilter(principal), ...(await queryOf(context, filters)) };
  return { currentPage, pageSize, order: logOrder(sort), filter };
}

export const countLogs = (context: GraphContext, { filter, order }: LogSelection): Promise<number> =>
  countItems(logModel(context.db), filter, order);

export const readLogs = (
  context: GraphContext,
  { filter, order, ...page }: LogSelection,
): Promise<LogRecord[]> => readPage(logModel(context.db), filter, page, order);

export async function walkLogs(context: GraphContext, { filters, ...args }: HistoryArguments) {
  const principal = requireScope(context.principal, ['logs.list']);
  const filter = await queryOf(context, filters);
  return findCursorPage(logModel(context.db), tenantFilter(principal), filter, args);
}

/** The logs that are written from now on, of those that the filters let through. */
export async function logsAdded(
  context: GraphContext,
  filters: LogFilters | null | undefined,
): Promise<AsyncIterableIterator<LogRecord>> {
  const principal = requireScope(context.principal, ['logs.list']);
  const filter = await queryOf(context, filters);
  return recordsAdded(context, 'log', logModel(context.db), tenantFilter(principal), filter);
}

const logOrder = ({ field, direction }: SortArgument): Order =>
  orderOf({ field: field === 'cost' ? 'costNanodollars' : field, direction });

async function queryOf(context: GraphContext, filters: LogFilters | null | undefined) {
  const { principal, db } = context;
  const workspace = filters?.workspaceSlug;
  const workspaceId = workspace && (await workspaceIdFor(context, workspace));
  const owner = { ...(principal && tenantFilter(principal)), ...(workspaceId && { workspaceId }) };
  return {
    ...(workspaceId && { workspaceId }),
    ...(await findLogQuery(db, owner as ReturnType<typeof tenantFilter>, filters ?? {})),
  };
}
