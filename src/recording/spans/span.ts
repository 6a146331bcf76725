import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { w3cSpanId, w3cTraceId } from '../../lib/trace-ids.ts';
import type { LoggedCheck, LoggedGuardrail } from '../log/guardrails.ts';
import type { LogRecord } from '../log/record.ts';
import {
  type AttributeSource,
  checkAttributes,
  commonAttributes,
  present,
  tryAttributes,
} from './attributes.ts';

/** Operations that the conventions have a name for; any other goes by the gateway's own. */
const operations: Record<string, string> = {
  chatComplete: 'chat',
  messages: 'chat',
  createResponse: 'chat',
  complete: 'text_completion',
  embed: 'embeddings',
};

const NANOSECONDS = 1e6;

const scope = { name: 'sluice' };

/** One try at a provider as a span in the GenAI conventions of OpenTelemetry: its measures, and nothing of its content. */
export function spanOfTry(record: LogRecord, resource: Resource): ReadableSpan {
  const { aiModel, spanId, parentSpanId, createdAt, upstreamResponseTime } = record;
  const operation = operationOf(record);
  return spanWith(record, resource, {
    ...{ spanId, parentSpanId },
    name: aiModel === null ? operation : `${operation} ${aiModel}`,
    kind: SpanKind.CLIENT,
    from: createdAt.getTime(),
    took: upstreamResponseTime,
    attributes: { 'gen_ai.operation.name': operation, ...tryAttributes(record) },
  });
}

/**
 * A call whose tries have spans below it, made of its last record. Tokens and cost stand on the tries alone, so that a sum
 * over all spans counts them once.
 */
export function spanOfCall(record: LogRecord, resource: Resource): ReadableSpan {
  const { requestMethod, responseTime } = record;
  return spanWith(record, resource, {
    ...(record.aiProvider === null ? beginningOf(record) : beginningAbove(record)),
    name: operationOf(record),
    kind: SpanKind.SERVER,
    took: responseTime,
    attributes: { 'http.request.method': requestMethod, ...commonAttributes(record) },
  });
}

/** A check of a guardrail, and at which place it stands there. */
export type CheckInLog = { ran: LoggedGuardrail; check: LoggedCheck; at: number };

/** A check that ran, below what its record is of: what it was and came to, and nothing of the text. */
export function spanOfCheck(
  record: LogRecord,
  resource: Resource,
  { ran, check, at }: CheckInLog,
): ReadableSpan {
  const { spanId } = record;
  const isError = check.verdict === 'error';
  const own = { ...record, isSuccess: !isError, error: check.error ?? null };
  return spanWith(own, resource, {
    spanId: `${spanId} ${ran.phase} ${ran.id} ${at}`,
    parentSpanId: spanId,
    name: `guardrail ${check.id}`,
    kind: SpanKind.INTERNAL,
    from: Date.parse(ran.createdAt) + (check.after ?? 0),
    took: check.time,
    attributes: checkAttributes(record, ran, check),
  });
}

/** The record of a refusal is of the call itself. */
const beginningOf = ({ spanId, parentSpanId, createdAt }: LogRecord) => ({
  ...{ spanId, parentSpanId },
  from: createdAt.getTime(),
});

/** The record of a try has the call as parent, and begins with the try. */
const beginningAbove = (record: LogRecord) => ({
  spanId: record.parentSpanId ?? record.spanId,
  parentSpanId: record.callerSpanId,
  from: record.createdAt.getTime() + record.upstreamResponseTime - record.responseTime,
});

const operationOf = ({ endpoint }: LogRecord): string => operations[endpoint] ?? endpoint;

/** What tells spans apart. `from` and `took` are milliseconds. */
type Own = Pick<LogRecord, 'spanId' | 'parentSpanId'> &
  Pick<ReadableSpan, 'name' | 'kind'> & { from: number; took: number; attributes: AttributeSource };

/** A span of what a record is of, with what is its own. */
export function spanWith(
  { traceId, isSuccess, error }: LogRecord,
  resource: Resource,
  { spanId, parentSpanId, name, kind, from, took, attributes }: Own,
): ReadableSpan {
  const contextOf = (id: string) => ({
    traceId: w3cTraceId(traceId),
    spanId: w3cSpanId(id),
    traceFlags: TraceFlags.SAMPLED,
  });
  return {
    name,
    kind,
    spanContext: () => contextOf(spanId),
    ...(parentSpanId !== null && { parentSpanContext: contextOf(parentSpanId) }),
    startTime: timeOf(from),
    endTime: timeOf(from + took),
    duration: timeOf(took),
    ended: true,
    status: isSuccess ? { code: SpanStatusCode.UNSET } : failure(error),
    attributes: present(attributes),
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
