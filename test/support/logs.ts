import { uuid } from '../../src/lib/ids.ts';
import { recordOf } from '../../src/recording/log/blank-record.ts';
import type { ExchangeDraft } from '../../src/recording/log/draft.ts';
import type { LogEntry, LogRecord } from '../../src/recording/log/record.ts';

type Owner = { organisationId: string; workspaceId: string };

/** The record of a chat call, before anything is worked out of it. */
const askedRecord = (owner: Owner, changes: Partial<LogRecord>): LogRecord =>
  recordOf({
    ...owner,
    _id: uuid(),
    createdAt: new Date(),
    traceId: 'trace-1',
    apiKeyId: 'key-1',
    spanId: 'span-1',
    requestMethod: 'POST',
    requestUrl: '/v1/chat/completions',
    endpoint: 'chatComplete',
    aiProvider: 'openai',
    aiModel: 'gpt-4o',
    providerSlug: 'main',
    responseStatusCode: 200,
    isSuccess: Math.floor((changes.responseStatusCode ?? 200) / 100) === 2,
    responseTime: 12.5,
    timeToFirstToken: 8,
    upstreamResponseTime: 11,
    gatewayProcessingTime: 1.5,
    metadata: { _user: 'ann' },
    ...changes,
  });

/** A log of a chat call with its bodies, for tests that write what they then read. */
export function logEntry({ organisationId, workspaceId }: Owner, change: Partial<LogRecord> = {}): LogEntry {
  const record = askedRecord(
    { organisationId, workspaceId },
    {
      promptTokens: 3,
      completionTokens: 5,
      totalTokens: 8,
      usageSource: 'provider',
      tokenClasses: { request_token: 3, response_token: 5 },
      bodiesId: uuid(),
      ...change,
    },
  );
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

/** A draft as the data plane leaves it behind: without what is worked out later. */
export function draftOf(changes: Partial<ExchangeDraft> = {}): ExchangeDraft {
  return {
    record: askedRecord(
      { organisationId: 'organisation', workspaceId: 'workspace' },
      { traceId: uuid(), source: 'tests – ünïcödé' },
    ),
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
    mcp: null,
    ...changes,
  };
}
