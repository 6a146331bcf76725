import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors/index.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { uuid } from '../../lib/ids.ts';
import { isW3cTraceId, newSpanId, w3cSpanId } from '../../lib/trace-ids.ts';

/** Where a request stands in a trace, and where each of its tries does. */
export type Trace = {
  traceId: string;
  /** The request's own span. */
  spanId: string;
  spanName: string | null;
  /** The caller's span, when it named one. */
  parentSpanId: string | null;
  /** W3C trace flags that go on to providers; null where the trace id has no form that they would know. */
  flags: string | null;
  /** The gateway's own header whose value cannot be an id or a name; null when all can. */
  unusable: string | null;
};

/** The span of one try at a target. */
export type Span = { spanId: string; parentSpanId: string | null };

const MAX_LENGTH = 256;
/** The flag "sampled" of W3C Trace Context: every request is recorded. */
const SAMPLED = '01';

/** Trace and span ids from the gateway's own headers or, behind them, W3C `traceparent` . */
export function traceOf({
  headers,
  method,
  url,
}: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): Trace {
  let unusable: string | null = null;
  const own = (name: string): string | null => {
    const value = headerOf(headers, name);
    if (!value || isUsable(value)) return value || null;
    unusable = name;
    return null;
  };
  const parent = w3cParent(headers);
  const given = own('x-gateway-trace-id') ?? parent?.traceId ?? null;
  const isKnownElsewhere = given !== null && isW3cTraceId(given);
  return {
    // Time-ordered, since logs are indexed by it.
    traceId: given ?? uuid(),
    spanId: own('x-gateway-span-id') ?? newSpan(isKnownElsewhere),
    spanName: own('x-gateway-span-name') ?? (parent ? `${method} ${url?.split('?')[0]}` : null),
    parentSpanId: own('x-gateway-parent-span-id') ?? parent?.spanId ?? null,
    flags: isKnownElsewhere ? (parent?.flags ?? SAMPLED) : null,
    // Last: by now all of them have been looked at.
    unusable,
  };
}

const newSpan = (isKnownElsewhere: boolean): string => (isKnownElsewhere ? newSpanId() : uuid());

/** The request itself, where it makes one try; the tries of a config with several targets are its children. */
export const spanOfTry = (trace: Trace, isOnly: boolean): Span =>
  isOnly ? trace : { spanId: newSpan(trace.flags !== null), parentSpanId: trace.spanId };

/** What tells a provider of the try that its request belongs to; null where nobody asked for W3C traces. */
export const traceparentOf = ({ traceId, flags }: Trace, { spanId }: Span): string | null =>
  flags === null ? null : `00-${traceId}-${w3cSpanId(spanId)}-${flags}`;

const isUsable = (value: string): boolean => value.length <= MAX_LENGTH && /^[\x20-\x7e]+$/.test(value);

/** Throws for an id or a name that cannot be used: the caller could not find its call again under one of the gateway's. */
export function requireUsable({ unusable }: Trace): void {
  if (unusable === null) return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `${unusable} takes 1 to ${MAX_LENGTH} printable ASCII characters.`,
    param: unusable,
  });
}

type Parent = { traceId: string; spanId: string; flags: string };

function w3cParent({ traceparent }: IncomingHttpHeaders): Parent | null {
  if (traceparent === undefined) return null;
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(String(traceparent));
  const [, traceId = '', spanId = '', flags = ''] = match ?? [];
  // All zeros is how W3C spells "none".
  return !match || /^0+$/.test(traceId) || /^0+$/.test(spanId) ? null : { traceId, spanId, flags };
}
