import type { LogRecord } from '../../../recording/log-record.ts';
import { organisationById } from '../../identity/organisation/index.ts';
import { workspaceById } from '../../identity/workspace/index.ts';
import type { Resolvers } from '../../subgraph.ts';
import { insertLogs } from './insert.ts';
import type { Messages } from './loaders.ts';
import { messageOf, shownOriginal, shownRequest, shownResponse } from './messages.ts';
import { wholeMilliseconds } from './milliseconds.ts';
import { cents } from './money.ts';
import {
  countLogs,
  getLog,
  type LogSelection,
  logsAdded,
  readLogs,
  selectLogs,
  walkLogs,
} from './service.ts';

/** Its headers are those of the request: only the body changed. */
const untranslated = ({ request, finalUntransformedRequest }: Messages) =>
  finalUntransformedRequest && { ...finalUntransformedRequest, headers: request.headers };

const reference = (id: string | null) => id && { id };

export const resolvers: Resolvers = {
  Query: {
    log: (_parent, { id }, context) => getLog(context, id),
    logs: (_parent, args, context) => selectLogs(context, args),
    logHistory: (_parent, args, context) => walkLogs(context, args),
  },
  Mutation: {
    insertLogs: (_parent, { input }, context) => insertLogs(context, input),
  },
  Subscription: {
    logAdded: (_parent, { filters }, context) => logsAdded(context, filters),
  },
  LogPage: {
    total: (selection: LogSelection, _args, context) => countLogs(context, selection),
    data: (selection: LogSelection, _args, context) => readLogs(context, selection),
  },
  Log: {
    id: (record: LogRecord) => record._id,
    workspace: (record: LogRecord) => reference(record.workspaceId),
    organisationName: async (record: LogRecord, _args, context) =>
      (await organisationById(context).load(record.organisationId))?.name,
    workspaceSlug: async (record: LogRecord, _args, context) =>
      (await workspaceById(context).load(record.workspaceId))?.slug,
    apiKey: (record: LogRecord) => reference(record.apiKeyId),
    provider: (record: LogRecord) => reference(record.providerId),
    config: (record: LogRecord) => reference(record.configId),
    responseTime: (record: LogRecord) => wholeMilliseconds(record.responseTime),
    timeToFirstToken: ({ timeToFirstToken }: LogRecord) =>
      timeToFirstToken == null ? null : wholeMilliseconds(timeToFirstToken),
    upstreamResponseTime: (record: LogRecord) => wholeMilliseconds(record.upstreamResponseTime),
    gatewayProcessingTime: ({ gatewayProcessingTime }: LogRecord) =>
      gatewayProcessingTime == null ? null : wholeMilliseconds(gatewayProcessingTime),
    // Logs from before there was a cache say nothing of it.
    cacheStatus: ({ cacheStatus }: Partial<LogRecord>) => cacheStatus ?? 'DISABLED',
    cost: ({ costNanodollars }: LogRecord) => cents(costNanodollars),
    savings: ({ savingsNanodollars }: LogRecord) => cents(savingsNanodollars),
    request: (record: LogRecord, _args, context) =>
      messageOf(context, record, ({ request }) => request, shownRequest),
    finalUntransformedRequest: (record: LogRecord, _args, context) =>
      messageOf(context, record, untranslated, shownRequest),
    transformedRequest: (record: LogRecord, _args, context) =>
      messageOf(context, record, ({ transformedRequest }) => transformedRequest, shownRequest),
    response: (record: LogRecord, _args, context) =>
      messageOf(context, record, ({ response }) => response, shownResponse),
    originalResponse: (record: LogRecord, _args, context) =>
      messageOf(context, record, (stored) => stored.originalResponse, shownOriginal),
    metrics: (record: LogRecord) => record,
  },
};
