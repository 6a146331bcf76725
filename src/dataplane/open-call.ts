import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Principal } from '../auth/index.ts';
import { GatewayError } from '../errors/index.ts';
import { credentialOf } from './authenticate.ts';
import type { Call } from './call.ts';
import { emptyPlan } from './config/plan.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { isSafePath, routeOf } from './routes.ts';
import { type Trace, traceOf } from './trace.ts';
import { Tries } from './tries.ts';

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
    span: visit.trace,
    headers: request.headers,
    method,
    route: routeOf(path),
    signal: hangUpSignal(response),
    clock,
    tries: new Tries(),
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
