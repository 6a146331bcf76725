import type { LogRecord } from '../../../recording/log/record.ts';
import { organisationById } from '../../identity/organisation/index.ts';
import { workspaceById } from '../../identity/workspace/index.ts';
import type { SubscriptionResolvers } from '../../subgraph.ts';
import type {
  SubscriptionActivityArgs,
  SubscriptionLogAddedArgs,
  SubscriptionLogsAddedArgs,
} from '../../types.generated.ts';
import { cents } from '../log-filters/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { activity } from './activity.ts';
import { costLinesOf, guardrailsIn, limitsIn, mcpIn, refusalOf, routingOf } from './explained.ts';
import { insertLogs } from './insert.ts';
import { logArrivals, logsAdded, logsAddedSingly } from './live.ts';
import type { Messages } from './loaders.ts';
import { messageOf, shownOriginal, shownRequest, shownResponse } from './messages.ts';
import { wholeMilliseconds } from './milliseconds.ts';
import { countLogs, getLog, readLogs, selectLogs, walkLogs } from './service.ts';

/** Its headers are those of the request: only the body changed. */
const untranslated = ({ request, finalUntransformedRequest }: Messages) =>
  finalUntransformedRequest && { ...finalUntransformedRequest, headers: request.headers };

const reference = (id: string | null) => (id ? { id } : null);

export const resolvers = {
  Query: {
    log: (_parent, { id }, context) => getLog(context, id),
    logs: (_parent, args, context) => selectLogs(context, args),
    logHistory: (_parent, args, context) => walkLogs(context, args),
    logArrivals: (_parent, args, context) => logArrivals(context, args),
  },
  Mutation: {
    insertLogs: (_parent, { input }, context) => insertLogs(context, input),
  },
  Subscription: {
    logAdded: (_parent, { filters }: SubscriptionLogAddedArgs, context) => logsAddedSingly(context, filters),
    logsAdded: (_parent, args: SubscriptionLogsAddedArgs & { maxPerSecond: number }, context) =>
      logsAdded(context, args),
    activity: (_parent, args: SubscriptionActivityArgs & { everyMs: number }, context) =>
      activity(context, args),
  },
  LogPage: {
    total: (selection, _args, context) => countLogs(context, selection),
    data: (selection, _args, context) => readLogs(context, selection),
  },
  Log: {
    id: (record) => record._id,
    workspace: (record) => reference(record.workspaceId),
    organisationName: async (record, _args, context) =>
      (await organisationById(context).load(record.organisationId))?.name,
    workspaceSlug: async (record, _args, context) =>
      (await workspaceById(context).load(record.workspaceId))?.slug,
    apiKey: (record) => reference(record.apiKeyId),
    user: (record) => reference(record.userId),
    provider: (record) => reference(record.providerId),
    config: (record) => reference(record.configId),
    run: ({ metadata }: Partial<LogRecord>) => reference(metadata?._run ?? null),
    responseTime: (record) => wholeMilliseconds(record.responseTime),
    timeToFirstToken: ({ timeToFirstToken }) =>
      timeToFirstToken == null ? null : wholeMilliseconds(timeToFirstToken),
    upstreamResponseTime: (record) => wholeMilliseconds(record.upstreamResponseTime),
    gatewayProcessingTime: ({ gatewayProcessingTime }) =>
      gatewayProcessingTime == null ? null : wholeMilliseconds(gatewayProcessingTime),
    cacheStatus: ({ cacheStatus }: Partial<LogRecord>) => cacheStatus ?? 'DISABLED',
    cost: ({ costNanodollars }) => cents(costNanodollars),
    costLines: costLinesOf,
    routing: routingOf,
    limits: limitsIn,
    refusal: refusalOf,
    guardrails: guardrailsIn,
    mcp: mcpIn,
    savings: ({ savingsNanodollars }) => cents(savingsNanodollars),
    request: (record, _args, context) => messageOf(context, record, ({ request }) => request, shownRequest),
    finalUntransformedRequest: (record, _args, context) =>
      messageOf(context, record, untranslated, shownRequest),
    transformedRequest: (record, _args, context) =>
      messageOf(context, record, ({ transformedRequest }) => transformedRequest, shownRequest),
    response: (record, _args, context) =>
      messageOf(context, record, ({ response }) => response, shownResponse),
    originalResponse: (record, _args, context) =>
      messageOf(context, record, (stored) => stored.originalResponse, shownOriginal),
    metrics: (record) => record,
  },
} satisfies Resolvers & SubscriptionResolvers;
