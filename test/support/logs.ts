import { uuid } from '../../src/lib/ids.ts';
import { recordOf } from '../../src/recording/log/blank-record.ts';
import type { ExchangeDraft } from '../../src/recording/log/draft.ts';
import type { LogEntry, LogRecord, NeededFields } from '../../src/recording/log/record.ts';

type Owner = { organisationId: string; workspaceId: string };

/** A log of a chat call with its bodies, for tests that write what they then read. */
export function logEntry({ organisationId, workspaceId }: Owner, change: Partial<LogRecord> = {}): LogEntry {
  const record = recordOf({
    ...neededFields({ organisationId, workspaceId }),
    aiProvider: 'openai',
    aiModel: 'gpt-4o',
    providerSlug: 'main',
    timeToFirstToken: 8,
    upstreamResponseTime: 11,
    gatewayProcessingTime: 1.5,
    promptTokens: 3,
    completionTokens: 5,
    totalTokens: 8,
    usageSource: 'provider',
    tokenClasses: { request_token: 3, response_token: 5 },
    metadata: { _user: 'ann' },
    bodiesId: uuid(),
    ...change,
  });
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

const neededFields = (owner: Owner): NeededFields => ({
  ...owner,
  _id: uuid(),
  createdAt: new Date(),
  traceId: 'trace-1',
  apiKeyId: 'key-1',
  spanId: 'span-1',
  requestMethod: 'POST',
  requestUrl: '/v1/chat/completions',
  endpoint: 'chatComplete',
  responseStatusCode: 200,
  isSuccess: true,
  responseTime: 12.5,
});

/** As the data plane leaves it behind: without what is worked out later. */
export function draftOf(changes: Partial<ExchangeDraft> = {}): ExchangeDraft {
  const owner = { organisationId: 'organisation', workspaceId: 'workspace' };
  return {
    record: recordOf({
      ...neededFields(owner),
      traceId: uuid(),
      source: 'tests – ünïcödé',
      aiProvider: 'openai',
      aiModel: 'gpt-4o',
      providerSlug: 'main',
      timeToFirstToken: 8,
      upstreamResponseTime: 11,
      gatewayProcessingTime: 1.5,
      metadata: { _user: 'ann' },
    }),
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
