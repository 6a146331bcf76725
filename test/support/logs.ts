import { uuid } from '../../src/lib/ids.ts';
import type { LogEntry, LogRecord } from '../../src/recording/log/record.ts';
import type { ExchangeDraft } from '../../src/recording/log/request-log.ts';

type Owner = { organisationId: string; workspaceId: string };

/** A log of a chat call with its bodies, for tests that write what they then read. */
export function logEntry({ organisationId, workspaceId }: Owner, change: Partial<LogRecord> = {}): LogEntry {
  const _id = uuid();
  const createdAt = new Date();
  const record: LogRecord = {
    _id,
    organisationId,
    workspaceId,
    apiKeyId: 'key-1',
    userId: null,
    createdAt,
    expiresAt: null,
    traceId: 'trace-1',
    spanId: 'span-1',
    spanName: null,
    parentSpanId: null,
    callerSpanId: null,
    requestMethod: 'POST',
    requestUrl: '/v1/chat/completions',
    endpoint: 'chatComplete',
    isProxyCall: false,
    source: null,
    runtime: null,
    runtimeVersion: null,
    sdkVersion: null,
    aiProvider: 'openai',
    aiModel: 'gpt-4o',
    providerId: null,
    providerSlug: 'main',
    integrationId: null,
    configId: null,
    configSlug: null,
    configVersionId: null,
    mode: 'single',
    lastUsedOptionIndex: 0,
    lastUsedOptionJsonPath: 'config',
    retryAttemptCount: 0,
    responseStatusCode: 200,
    isSuccess: true,
    streamMode: 0,
    responseTime: 12.5,
    timeToFirstToken: 8,
    upstreamResponseTime: 11,
    gatewayProcessingTime: 1.5,
    cacheStatus: 'DISABLED',
    cacheMode: null,
    promptTokens: 3,
    completionTokens: 5,
    totalTokens: 8,
    usageSource: 'provider',
    tokenClasses: { request_token: 3, response_token: 5 },
    costNanodollars: null,
    savingsNanodollars: null,
    metadata: { _user: 'ann' },
    clientAborted: false,
    error: null,
    bodiesId: uuid(),
    batchId: null,
    ...change,
  };
  const text = (body: string) => ({
    headers: { 'x-gateway-trace-id': 't', accept: '*/*' },
    body,
    truncated: false,
  });
  return {
    record,
    bodies: {
      expiresAt: null,
      request: text('{"model":"gpt-4o"}'),
      transformedRequest: null,
      response: text('{"choices":[]}'),
    },
  };
}

/** As the data plane leaves it behind: without what is worked out later. */
export function draftOf(changes: Partial<ExchangeDraft> = {}): ExchangeDraft {
  const { record } = logEntry(
    { organisationId: 'organisation', workspaceId: 'workspace' },
    { traceId: uuid(), source: 'tests – ünïcödé' },
  );
  const { promptTokens, completionTokens, totalTokens, usageSource, tokenClasses, ...asked } = record;
  const { costNanodollars, savingsNanodollars, expiresAt, bodiesId, batchId, ...known } = asked;
  return {
    record: known,
    requestHeaders: { authorization: 'Bearer sl-very-secret', accept: ['a', 'b'] },
    requestBody: null,
    finalUntransformed: null,
    transformed: null,
    response: null,
    original: null,
    keeps: 'all',
    sensitiveHeaders: ['x-secret'],
    quotable: [],
    pricing: null,
    endsCall: false,
    ...changes,
  };
}
