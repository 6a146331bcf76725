import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../src/auth/index.ts';
import { errorHeaders, GatewayError } from '../../src/errors/index.ts';
import { adoptRequestId, type Graph, toGraphError } from '../../src/graph/index.ts';
import { BodyAborted, type BodyBudget } from '../../src/lib/bodies/index.ts';
import type { Logger } from '../../src/lib/logger.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import { answerEmpty, answerJson } from '../serve/answer.ts';
import { readJsonBody } from '../serve/body.ts';
import type { Handler } from '../serve/handler.ts';
import { SCIM_BASE, type ScimEndpoint, type ScimMethod } from './exchange.ts';
import { ScimFault, scimErrorBody, statusOf } from './fault.ts';
import { queryOf } from './list-query.ts';
import { createOperations } from './operations.ts';
import { findScimPath, type ScimPath } from './paths.ts';

/** Users and groups for identity providers: SCIM 2.0 (RFC 7643 and 7644). */
export type Scim = {
  /** The handler of a path below `/scim/v2`; null for any other. */
  match(path: string): Handler | null;
};

export type ScimOptions = {
  graph: Graph;
  createContext(principal: Principal | null, request: IncomingMessage): GraphContext;
  /** Throws UNAUTHENTICATED for a credential that is not valid; null when there is none. */
  authenticate(request: IncomingMessage): Promise<Principal | null>;
  bodies: BodyBudget;
  log: Logger;
};

export function createScim({ graph, createContext, authenticate, bodies, log }: ScimOptions): Scim {
  const run = createOperations(graph);
  const contextOf = (principal: Principal | null, request: IncomingMessage) =>
    adoptRequestId(createContext(principal, request), request);

  async function answer(
    { endpoint, id }: ScimPath,
    context: GraphContext,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { status, body, location } = await methodOf(
      endpoint,
      request,
    )({
      context,
      id,
      query: queryOf(context),
      run,
      readBody: () => readBody({ request, response, context, parameters: {}, bodies }),
    });
    const headers = { 'x-request-id': context.request.id, ...(location && { location }) };
    if (body) answerScim(request, response, status, body, headers);
    else answerEmpty(response, status, headers);
  }

  function refuse(
    thrown: unknown,
    requestId: string,
    request: IncomingMessage,
    response: ServerResponse,
    headers: Record<string, string>,
  ): void {
    const error = toGraphError(thrown);
    const status = statusOf(error);
    if (error.entry.status >= 500) log.error({ error, requestId }, error.message);
    answerScim(request, response, status, scimErrorBody(error), {
      ...headers,
      'x-request-id': requestId,
      ...errorHeaders(error),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      // The unread rest of a body would be taken for the next request on the connection.
      ...(!request.complete && { connection: 'close' }),
    });
  }

  const handlerOf =
    (found: ScimPath | null): Handler =>
    async (request, response) => {
      let context: GraphContext | undefined;
      const allow: Record<string, string> = found ? { allow: allowedAt(found.endpoint) } : {};
      try {
        if (!found) throw new GatewayError('NOT_FOUND', { message: 'SCIM has no such path here.' });
        if (request.method === 'OPTIONS') {
          const headers = { ...allow, 'x-request-id': contextOf(null, request).request.id };
          return answerEmpty(response, 204, headers);
        }
        methodOf(found.endpoint, request);
        const principal = found.isPublic ? null : await authenticate(request);
        if (!principal && !found.isPublic) throw new GatewayError('UNAUTHENTICATED');
        context = contextOf(principal, request);
        await answer(found, context, request, response);
      } catch (thrown) {
        if (thrown instanceof BodyAborted) return;
        const { request: facts } = context ?? contextOf(null, request);
        const isMethod = thrown instanceof GatewayError && thrown.code === 'METHOD_NOT_ALLOWED';
        refuse(thrown, facts.id, request, response, isMethod ? allow : {});
      }
    };

  return {
    match: (path) =>
      path === SCIM_BASE || path.startsWith(`${SCIM_BASE}/`) ? handlerOf(findScimPath(path)) : null,
  };
}

const allowedAt = (endpoint: ScimEndpoint): string =>
  [...Object.keys(endpoint), ...(endpoint.GET ? ['HEAD'] : []), 'OPTIONS'].join(', ');

function methodOf(endpoint: ScimEndpoint, { method = 'GET' }: IncomingMessage) {
  const asked = method === 'HEAD' ? 'GET' : method;
  const act = Object.hasOwn(endpoint, asked) ? endpoint[asked as ScimMethod] : undefined;
  if (!act) throw new GatewayError('METHOD_NOT_ALLOWED');
  return act;
}

async function readBody(call: Parameters<typeof readJsonBody>[0]): Promise<unknown> {
  const body = await readJsonBody(call);
  if (body === undefined) throw new ScimFault('invalidSyntax', 'The request needs a body.');
  return body;
}

const answerScim = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string>,
) =>
  answerJson(request, response, status, JSON.stringify(body), {
    ...headers,
    'content-type': 'application/scim+json',
  });
