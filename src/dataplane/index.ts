import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Principal } from '../auth/index.ts';
import { errorHeaders, GatewayError, toGatewayError } from '../errors/index.ts';
import { uuid } from '../lib/ids.ts';
import { credentialOf } from './authenticate.ts';
import { type Call, headerOf, type Trace } from './call.ts';
import { emptyPlan } from './config/plan.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { errorBodyFor } from './ingress/index.ts';
import { recordWithoutProvider } from './record.ts';
import { isSafePath, routeOf } from './routes.ts';
import { steps } from './steps.ts';

export type Dataplane = {
  /** Answers a request; `path` and `query` are what follows `/v1`. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse, path: string, query: string): Promise<void>;
};

/** The inference side of the gateway: authenticates, then runs the steps of `steps.ts`. */
export function createDataplane(dependencies: DataplaneDependencies): Dataplane {
  return {
    async handle(request, response, path, query) {
      const requestId = randomUUID();
      const trace = traceOf(request);
      let call: Call | null = null;
      try {
        call = await open(request, response, { path, query, requestId, trace }, dependencies);
        for (const step of steps) {
          const pending = step(call, dependencies);
          if (pending) await pending;
        }
      } catch (thrown) {
        refuse(thrown, { request, response, path, requestId, trace, call }, dependencies);
      }
    },
  };
}

async function open(
  request: IncomingMessage,
  response: ServerResponse,
  about: { path: string; query: string; requestId: string; trace: Trace },
  { authenticate }: DataplaneDependencies,
): Promise<Call> {
  const clock = { startedAt: performance.now(), createdAt: new Date(), atTargets: 0 };
  const credential = credentialOf(request.headers);
  const key = await authenticate(credential, request.socket.remoteAddress);
  const { workspaceId } = key.principal;
  if (workspaceId === null) {
    throw new GatewayError('FORBIDDEN', { message: withoutWorkspace(key.principal) });
  }
  if (!isSafePath(about.path))
    throw new GatewayError('VALIDATION_FAILED', { message: 'The path is not valid.', param: 'path' });
  const method = request.method ?? 'GET';
  return {
    request,
    response,
    headers: request.headers,
    method,
    ...about,
    route: routeOf(about.path),
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

type Refusal = {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  requestId: string;
  trace: Trace;
  call: Call | null;
};

function refuse(thrown: unknown, about: Refusal, dependencies: DataplaneDependencies): void {
  const { request, response, path, requestId, trace, call } = about;
  const error = toGatewayError(thrown);
  // The request itself is destroyed as soon as it was read to its end.
  const hungUp = response.destroyed;
  if (error.entry.status >= 500 && !hungUp) {
    dependencies.log.error(
      { error: thrown, requestId, traceId: trace.traceId },
      'A data-plane request failed.',
    );
  }
  if (call) recordWithoutProvider(dependencies, call, hungUp ? 499 : error.entry.status, error.message);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The rest of an unread body must not be taken for the next request on this connection.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(error.entry.status, {
    'content-type': 'application/json',
    'x-gateway-trace-id': trace.traceId,
    'x-gateway-request-id': requestId,
    'x-gateway-gateway-exception': 'true',
    ...errorHeaders(error),
  });
  response.end(JSON.stringify(errorBodyFor(routeOf(path).endpoint, error)));
}
