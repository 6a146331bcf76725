import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { w3cSpanId, w3cTraceId } from '../../lib/trace-ids.ts';
import type { LogRecord } from '../log-record.ts';

/** Operations that the conventions have a name for; any other goes by the gateway's own. */
const operations: Record<string, string> = {
  chatComplete: 'chat',
  messages: 'chat',
  createResponse: 'chat',
  complete: 'text_completion',
  embed: 'embeddings',
};

const NANOSECONDS = 1e6;
const NANODOLLARS = 1e9;

const scope = { name: 'sluice' };

/** One try at a provider as a span in the GenAI conventions of OpenTelemetry: its measures, and nothing of its content. */
export function spanOf(record: LogRecord, resource: Resource): ReadableSpan {
  const traceId = w3cTraceId(record.traceId);
  const contextOf = (spanId: string) => ({
    traceId,
    spanId: w3cSpanId(spanId),
    traceFlags: TraceFlags.SAMPLED,
  });
  const { aiModel, parentSpanId, upstreamResponseTime, isSuccess, error } = record;
  const operation = operations[record.endpoint] ?? record.endpoint;
  const from = record.createdAt.getTime();
  return {
    name: aiModel === null ? operation : `${operation} ${aiModel}`,
    kind: SpanKind.CLIENT,
    spanContext: () => contextOf(record.spanId),
    ...(parentSpanId !== null && { parentSpanContext: contextOf(parentSpanId) }),
    startTime: timeOf(from),
    endTime: timeOf(from + upstreamResponseTime),
    duration: timeOf(upstreamResponseTime),
    ended: true,
    status: isSuccess ? { code: SpanStatusCode.UNSET } : failure(error),
    attributes: { 'gen_ai.operation.name': operation, ...attributesOf(record) },
    links: [],
    events: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const failure = (error: string | null) => ({
  code: SpanStatusCode.ERROR,
  ...(error !== null && { message: error }),
});

/** Milliseconds as seconds and the nanoseconds beyond them. */
const timeOf = (milliseconds: number): HrTime => [
  Math.floor(milliseconds / 1000),
  Math.round((milliseconds % 1000) * NANOSECONDS),
];

function attributesOf(record: LogRecord) {
  const { costNanodollars, responseStatusCode: status } = record;
  const given = {
    'gen_ai.provider.name': record.aiProvider,
    // What the conventions called it before; most tools still read this.
    'gen_ai.system': record.aiProvider,
    'gen_ai.request.model': record.aiModel,
    'gen_ai.usage.input_tokens': record.promptTokens,
    'gen_ai.usage.output_tokens': record.completionTokens,
    // US dollars.
    'gen_ai.usage.cost': costNanodollars === null ? null : costNanodollars / NANODOLLARS,
    'http.response.status_code': status,
    'error.type': record.isSuccess ? null : String(status),
    'sluice.log.id': record._id,
    'sluice.organisation.id': record.organisationId,
    'sluice.workspace.id': record.workspaceId,
    'sluice.api_key.id': record.apiKeyId,
    'sluice.endpoint': record.endpoint,
    'sluice.provider.slug': record.providerSlug,
    'sluice.config.slug': record.configSlug,
    'sluice.option.path': record.lastUsedOptionJsonPath,
    'sluice.retry.count': record.retryAttemptCount,
    'sluice.cache.status': record.cacheStatus,
    'sluice.stream': record.streamMode === 1,
    'sluice.time_to_first_token': record.timeToFirstToken,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
