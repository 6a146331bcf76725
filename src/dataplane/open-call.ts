import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Principal } from '../auth/index.ts';
import { GatewayError } from '../errors/index.ts';
import { uuid } from '../lib/ids.ts';
import { credentialOf } from './authenticate.ts';
import { type Call, headerOf, type Trace } from './call.ts';
import { emptyPlan } from './config/plan.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { isSafePath, routeOf } from './routes.ts';

/** A request of which nothing is known yet. */
export type Visit = {
  request: IncomingMessage;
  response: ServerResponse;
  /** Below `/v1`. */
  path: string;
  query: string;
  requestId: string;
  trace: Trace;
};

export const visitOf = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: string,
): Visit => ({ request, response, path, query, requestId: randomUUID(), trace: traceOf(request) });

/** Authenticates a request; throws for one that does not come into a workspace. */
export async function openCall(visit: Visit, { authenticate }: DataplaneDependencies): Promise<Call> {
  const { request, response, path } = visit;
  const clock = { startedAt: performance.now(), createdAt: new Date(), atTargets: 0 };
  const credential = credentialOf(request.headers);
  const key = await authenticate(credential, request.socket.remoteAddress);
  const { workspaceId } = key.principal;
  if (workspaceId === null) {
    throw new GatewayError('FORBIDDEN', { message: withoutWorkspace(key.principal) });
  }
  if (!isSafePath(path))
    throw new GatewayError('VALIDATION_FAILED', { message: 'The path is not valid.', param: 'path' });
  const method = request.method ?? 'GET';
  return {
    ...visit,
    headers: request.headers,
    method,
    route: routeOf(path),
    signal: hangUpSignal(response),
    clock,
    key,
    workspaceId,
    secret: credential?.secret ?? '',
    providerAuthorization: credential?.providerAuthorization ?? null,
    body: { kind: 'none' },
    metadata: key.metadata,
    plan: emptyPlan,
    savedConfig: null,
  };
}

const withoutWorkspace = ({ kind }: Principal): string =>
  kind === 'service-account'
    ? 'The access token is for a whole tenant: name a workspace in x-gateway-workspace-id.'
    : 'An organisation key administers; inference takes a workspace key.';

function hangUpSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

const MAX_TRACE_LENGTH = 256;

/** Trace and span ids from the gateway's own headers or, behind them, W3C `traceparent` (spec/data-plane.md, section 1.1). */
function traceOf({ headers, method, url }: IncomingMessage): Trace {
  const own = (name: string) => printable(headerOf(headers, name));
  const parent = w3cParent(headers);
  return {
    // Time-ordered, since logs are indexed by it.
    traceId: own('x-gateway-trace-id') ?? parent?.traceId ?? uuid(),
    spanId: own('x-gateway-span-id') ?? randomUUID(),
    spanName: own('x-gateway-span-name') ?? (parent ? `${method} ${url?.split('?')[0]}` : null),
    parentSpanId: own('x-gateway-parent-span-id') ?? parent?.spanId ?? null,
  };
}

const printable = (value: string | undefined): string | null =>
  value && value.length <= MAX_TRACE_LENGTH && /^[\x20-\x7e]+$/.test(value) ? value : null;

function w3cParent(headers: IncomingHttpHeaders): { traceId: string; spanId: string } | null {
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(
    String(headers.traceparent ?? ''),
  );
  if (!match?.[1] || !match[2]) return null;
  const [, traceId, spanId] = match;
  // All zeros is how W3C spells "none".
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? null : { traceId, spanId };
}
