import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rest } from '../../rest-compat/index.ts';
import { answerError } from '../../rest-compat/serve/answer.ts';
import type { Principal } from '../auth/index.ts';
import type { Dataplane } from '../dataplane/index.ts';
import { GatewayError } from '../errors/index.ts';
import { adoptRequestId, type GraphHttp, type Knock, toGraphError } from '../graph/index.ts';
import { BodyAborted } from '../lib/bodies/index.ts';
import { splitUrl } from '../lib/http/request-url.ts';
import type { Logger } from '../lib/logger.ts';
import type { McpDoor } from '../mcp/index.ts';
import type { GraphContext } from '../subgraphs/context.ts';
import { answerOidc, type OidcDoor, oidcPaths } from './oidc/door.ts';
import { requireOwnPage } from './own-pages.ts';
import { answerSignIn, type SignInDoor } from './sign-in.ts';
import type { Pages } from './static/pages.ts';

export type ConsoleOptions = SignInDoor & {
  pages: Pages;
  /** Null where people do not sign in at an identity provider. */
  oidc: OidcDoor | null;
  /** The graph, for callers whom a sign-in lets in. */
  graphHttp: Pick<GraphHttp, 'handle'>;
  /** The same for inference. */
  dataplane: Dataplane;
  /** The same for tools of MCP servers. */
  mcp: Pick<McpDoor, 'handle'>;
  rest: Pick<Rest, 'match' | 'refuse'>;
  /** Throws UNAUTHENTICATED for a sign-in that is over; null without one. */
  authenticate(knock: Knock): Promise<Principal | null>;
  createContext(principal: Principal | null, request: IncomingMessage): GraphContext;
  publicUrl: string | null;
  log: Logger;
};

export type Console = {
  /** Answers `/console` and everything below it; never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  isBuilt: Pages['isBuilt'];
};

/** Paths below `/console` that answer programs; every other one may be a page. */
const doors = /^\/(?:sign-in|graphql|graphql\/stream|v1\/.*)$/;

/** Where an MCP server takes messages of the console's pages. */
const mcpPath = /^\/v1\/mcp\/([A-Za-z0-9_-]{1,255})$/;

/** What a request may bring as its own credential; here it comes by cookie alone. */
const credentials = ['authorization', 'x-api-key', 'x-gateway-api-key'];

/** The doors of the console. They alone read a cookie, and take requests of their own pages alone. */
export function createConsole(options: ConsoleOptions): Console {
  const { cookie, pages, oidc, graphHttp, dataplane, mcp, rest, authenticate } = options;
  const { createContext, publicUrl, log } = options;

  const contextOf = (principal: Principal | null, request: IncomingMessage) =>
    adoptRequestId(createContext(principal, request), request);

  /** Puts the secret of the cookie where the doors behind look for a credential, and takes the cookie away. */
  function adoptCookie({ headers }: IncomingMessage): void {
    const secret = cookie.read(headers.cookie);
    for (const name of credentials) delete headers[name];
    delete headers.cookie;
    if (secret !== null) headers['x-gateway-api-key'] = secret;
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path: whole, query } = splitUrl(request.url);
    const path = whole.slice('/console'.length);
    if (oidc && oidcPaths.includes(path)) {
      return answerOidc({ request, response, context: contextOf(null, request) }, path, oidc);
    }
    if (!doors.test(path) && (await pages.answer(request, response, path))) return;
    requireOwnPage(request, publicUrl);
    adoptCookie(request);
    if (path === '/sign-in') return signIn(request, response);
    if (path === '/graphql' || path === '/graphql/stream') return graph(request, response, path);
    const [, server] = mcpPath.exec(path) ?? [];
    if (server !== undefined) return toMcpServer(request, response, server);
    if (path.startsWith('/v1/')) return inference(request, response, { path, query });
    throw new GatewayError('NOT_FOUND', { message: 'There is no such path.' });
  }

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const principal = request.method === 'DELETE' ? await whoeverIsSignedIn(request) : null;
    const context = contextOf(principal, request);
    return answerSignIn({ request, response, context }, { ...options, hasOidc: oidc !== null });
  }

  /** Who signs out twice is not refused. */
  async function whoeverIsSignedIn(request: IncomingMessage): Promise<Principal | null> {
    try {
      return await authenticate({ headers: request.headers });
    } catch (error) {
      if (error instanceof GatewayError && error.entry.status < 500) return null;
      throw error;
    }
  }

  function graph(request: IncomingMessage, response: ServerResponse, path: string): void {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      throw new GatewayError('METHOD_NOT_ALLOWED');
    }
    at(request, path);
    graphHttp.handle(request, response);
  }

  function inference(
    request: IncomingMessage,
    response: ServerResponse,
    { path, query }: { path: string; query: string },
  ): Promise<void> {
    at(request, query === '' ? path : `${path}?${query}`);
    if (rest.match(request, path)) {
      throw new GatewayError('NOT_FOUND', {
        message: 'The console administers over /console/graphql; below /console/v1 there is inference alone.',
      });
    }
    const refusal = rest.refuse(request, path);
    if (refusal) return refusal(request, response);
    // Request logs tell by it what was tried in the console.
    request.headers['user-agent'] = 'console';
    return dataplane.handle(request, response, path.slice('/v1'.length), query);
  }

  function toMcpServer(request: IncomingMessage, response: ServerResponse, slug: string): Promise<void> {
    at(request, `/${slug}/mcp`);
    request.headers['user-agent'] = 'console';
    return mcp.handle(request, response, { kind: 'server', workspace: null, slug });
  }

  return {
    isBuilt: pages.isBuilt,
    async handle(request, response) {
      try {
        await route(request, response);
      } catch (thrown) {
        if (thrown instanceof BodyAborted) return;
        const error = toGraphError(thrown);
        const { id } = contextOf(null, request).request;
        if (error.entry.status >= 500) log.error({ error, requestId: id }, error.message);
        if (response.headersSent) response.destroy();
        else answerError(request, response, error, { 'x-request-id': id });
      }
    },
  };
}

/** The doors behind know their own addresses; the audit trail shows the one that was asked for. */
function at(request: IncomingMessage & { originalUrl?: string }, url: string): void {
  request.originalUrl = request.url ?? '/';
  request.url = url;
}
