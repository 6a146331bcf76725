import { GatewayError } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import type { GraphContext } from '../../context.ts';
import { type CursorArguments, findCursorPage } from '../../cursor-page.ts';
import { type Order, orderOf, type SortArgument } from '../../order.ts';
import { type PageArguments, requireShallow, type SortedPageArguments } from '../../page.ts';
import type { QueryLogHistoryArgs, QueryLogsArgs } from '../../types.generated.ts';
import { logById } from './loaders.ts';
import { logModel } from './model.ts';
import { questionOf } from './question.ts';
import { countQuestion, type LogQuestion, readQuestion, walkQuestion } from './reading.ts';
import { requireViewer, requireVisible } from './visible.ts';

type ListArguments = QueryLogsArgs & SortedPageArguments;
type HistoryArguments = QueryLogHistoryArgs & CursorArguments;

/** A list of logs that is yet to be read: the number of all matches is counted only when it is asked for. */
export type LogSelection = PageArguments & { order: Order; question: LogQuestion };

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
  requireShallow(args, 'use logHistory or narrow the list by filters');
  const { filters, currentPage, pageSize, sort } = args;
  return { currentPage, pageSize, order: logOrder(sort), question: await questionOf(context, filters) };
}

export const countLogs = (context: GraphContext, { question, order }: LogSelection): Promise<number> =>
  countQuestion(context, question, order);

export const readLogs = (
  context: GraphContext,
  { question, order, ...page }: LogSelection,
): Promise<LogRecord[]> => readQuestion(context, question, page, order);

export async function walkLogs(context: GraphContext, { filters, ...args }: HistoryArguments) {
  const question = await questionOf(context, filters);
  const { owner, query } = question;
  return findCursorPage(logModel(context.db), owner, query, args, walkQuestion(context, question));
}

const logOrder = ({ field, direction }: SortArgument): Order =>
  orderOf({ field: field === 'cost' ? 'costNanodollars' : field, direction });
