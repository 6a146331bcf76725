import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../src/auth/index.ts';
import { errorHeaders, GatewayError, oauthBody } from '../../src/errors/index.ts';
import { adoptRequestId, type Knock, toGraphError } from '../../src/graph/index.ts';
import { BodyAborted, type BodyBudget } from '../../src/lib/bodies/index.ts';
import type { Logger } from '../../src/lib/logger.ts';
import { describable, OauthProblem } from '../../src/mcp/oauth/index.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import { answerEmpty, answerJson } from '../serve/answer.ts';
import { readJsonBody } from '../serve/body.ts';
import type { Handler } from '../serve/handler.ts';
import { endpoints, type Oauth2Endpoint } from './endpoints.ts';
import { readForm } from './form.ts';
import { endpointBelow } from './mcp.ts';

/** The authentication service: tokens for service accounts, and what is needed to check them. */
export type Oauth2 = {
  /** The handler of a path; null for any other. */
  match(path: string): Handler | null;
};

export function createOauth2(options: {
  createContext(principal: null, request: IncomingMessage): GraphContext;
  /** Whom a credential of the gateway stands for; null for none. */
  authenticate(knock: Knock): Promise<Principal | null>;
  bodies: BodyBudget;
  log: Logger;
}): Oauth2 {
  const handlerOf =
    (endpoint: Oauth2Endpoint): Handler =>
    async (request, response) => {
      const context = adoptRequestId(options.createContext(null, request), request);
      const headers = { 'x-request-id': context.request.id };
      if (request.method === 'OPTIONS') {
        return answerEmpty(response, 204, { ...headers, allow: allowedAt(endpoint) });
      }
      try {
        requireMethod(endpoint, request);
        const text = JSON.stringify(
          await endpoint.answer(context, {
            request,
            readForm: () => readForm(request, response, options.bodies),
            readJson: () =>
              readJsonBody({ request, response, context, parameters: {}, bodies: options.bodies }),
            authenticate: options.authenticate,
          }),
        );
        const { status = 200, caching } = endpoint;
        answerJson(request, response, status, text, { ...headers, 'cache-control': caching });
      } catch (thrown) {
        if (thrown instanceof BodyAborted) return;
        if (thrown instanceof OauthProblem) return refuseOauth(thrown, request, response, headers);
        const error = toGraphError(thrown);
        if (error.entry.status >= 500)
          options.log.error({ error, requestId: context.request.id }, error.message);
        refuse(endpoint, error, request, response, headers);
      }
    };
  return {
    match(path) {
      const endpoint = endpoints.get(path) ?? endpointBelow(path);
      return endpoint ? handlerOf(endpoint) : null;
    },
  };
}

/** A refusal in the words of OAuth, for which the house has no error of its own. */
function refuseOauth(
  problem: OauthProblem,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string>,
): void {
  const { code: error, message, status, retryAfter } = problem;
  const body = { error, error_description: describable(message) };
  answerJson(request, response, status, JSON.stringify(body), {
    ...headers,
    ...(status === 401 && { 'www-authenticate': BASIC }),
    ...(retryAfter !== null && { 'retry-after': String(retryAfter) }),
    ...(!request.complete && { connection: 'close' }),
  });
}

const BASIC = 'Basic realm="sluice", charset="UTF-8"';

const allowedAt = ({ method }: Oauth2Endpoint) => (method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS');

function requireMethod(endpoint: Oauth2Endpoint, { method }: IncomingMessage): void {
  const asked = method === 'HEAD' ? 'GET' : method;
  if (asked !== endpoint.method) throw new GatewayError('METHOD_NOT_ALLOWED');
}

function refuse(
  endpoint: Oauth2Endpoint,
  error: GatewayError,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string>,
): void {
  const { status } = error.entry;
  answerJson(request, response, status, JSON.stringify(oauthBody(error)), {
    ...headers,
    ...errorHeaders(error),
    ...(status === 401 && { 'www-authenticate': BASIC }),
    ...(status === 405 && { allow: allowedAt(endpoint) }),
    // The unread rest of a body would be taken for the next request on the connection.
    ...(!request.complete && { connection: 'close' }),
  });
}
