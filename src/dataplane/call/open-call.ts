import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Principal } from '../../auth/index.ts';
import { type Credential, credentialOf, type DoorAuthenticate } from '../../authentication/authenticate.ts';
import type { KeyRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { clientAddress } from '../../lib/http/client-address.ts';
import { uuid } from '../../lib/ids.ts';
import { emptyPlan } from '../../routing-config/plan.ts';
import type { Call } from './call.ts';
import { ClientDisconnect } from './client-disconnect.ts';
import { hopsOf } from './hops.ts';
import { requireSafePath, routeOf } from './routes.ts';
import { requireUsable, type Trace, traceOf } from './trace.ts';
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
): Visit => ({ request, response, path, query, requestId: uuid(), trace: traceOf(request) });

/** Authenticates a request; throws for one that does not come into a workspace. */
export function openCall(visit: Visit, authenticate: DoorAuthenticate): Call | Promise<Call> {
  const clock = { startedAt: performance.now(), createdAt: new Date(), atTargets: 0 };
  const { request } = visit;
  const credential = credentialOf(request.headers);
  const found = authenticate(credential, clientAddress(request));
  const callOf = (key: KeyRecord) => opened(visit, clock, credential, key);
  return found instanceof Promise ? found.then(callOf) : callOf(found);
}

function opened(visit: Visit, clock: Call['clock'], credential: Credential | null, key: KeyRecord): Call {
  const { request, response, path, query, requestId, trace } = visit;
  const { workspaceId } = key.principal;
  if (workspaceId === null) {
    throw new GatewayError('FORBIDDEN', { message: withoutWorkspace(key.principal) });
  }
  requireUsable(trace);
  requireSafePath(path);
  // A HEAD may do what a GET may. Of what the gateway itself answers to it, Node leaves out the body.
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
  // Member by member: an object that grows out of another takes three times the memory.
  return {
    request,
    response,
    headers: request.headers,
    method,
    path,
    query,
    route: routeOf(path),
    requestId,
    trace,
    hops: hopsOf(request.headers),
    span: trace,
    disconnect: disconnectOf(response),
    clock,
    tries: new Tries(),
    key,
    workspaceId,
    secret: credential?.secret ?? '',
    providerAuthorization: credential?.providerAuthorization ?? null,
    body: { kind: 'none' },
    metadata: key.principal.metadata,
    plan: emptyPlan,
    leaf: null,
    limits: null,
    savedConfig: null,
    routing: [],
    placeholders: null,
    isOpen: false,
  };
}

const withoutWorkspace = ({ kind }: Principal): string =>
  kind === 'service-account'
    ? 'The access token is for a whole tenant: name a workspace in x-gateway-workspace-id.'
    : 'An organisation key administers; inference takes a workspace key.';

function disconnectOf(response: ServerResponse): ClientDisconnect {
  const disconnect = new ClientDisconnect();
  // The caller may have gone while its credential was looked at.
  if (response.closed) disconnect.happen();
  response.on('close', () => {
    if (!response.writableFinished) disconnect.happen();
  });
  return disconnect;
}
