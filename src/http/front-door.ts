import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Oauth2, Rest, Scim } from '../../rest-compat/index.ts';
import type { Console } from '../console/door.ts';
import type { Dataplane } from '../dataplane/index.ts';
import type { Realtime } from '../dataplane/realtime/index.ts';
import { GatewayError, inferenceBody } from '../errors/index.ts';
import type { GraphHttp } from '../graph/doors/http.ts';
import { refuseUpgrade } from '../graph/index.ts';
import { plainPageHeaders } from '../lib/http/page-headers.ts';
import { splitUrl } from '../lib/http/request-url.ts';
import type { Logger } from '../lib/logger.ts';
import type { McpDoor } from '../mcp/door/index.ts';
import type { McpPlace } from '../mcp/paths.ts';
import { answer, isRead, refuseMethod } from './answers.ts';
import { answerInvitePage } from './invite-page.ts';
import type { Listener, UpgradeListener } from './listener.ts';
import type { Metrics } from './metrics.ts';
import type { OperationsDoor } from './operations-door.ts';

/** The doors behind the one listener. */
export type FrontDoors = {
  dataplane: Dataplane;
  rest: Rest;
  oauth2: Oauth2;
  /** Null when another process serves identities. */
  scim: Scim | null;
  graphHttp: GraphHttp;
  /** Null where it is switched off. */
  console: Console | null;
  mcp: McpDoor;
  /** Answers the paths of OAuth at which people are. */
  authorize(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Null when the subgraphs have a listener of their own, or are not served. */
  standalone: GraphHttp | null;
  metrics: Metrics;
  /** Answers whatever no other door knows. */
  operations: OperationsDoor;
  log: Logger;
};

type Door = 'inference' | 'rest' | 'graph' | 'subgraph' | 'stream' | 'console' | 'mcp' | 'operations';

/**
 * Every path below these is administration. Below `/v1`, a path that no document of the administration knows goes to
 * a provider.
 */
const administration = /^\/(v2|v0\.1|admin\/v2|iam\/v1|oauth2?|scim|\.well-known|model-configs)\//;

/** Pages at which people let MCP clients in, and themselves in at servers. */
const peoplePaths = new Set(['/oauth/authorize', '/oauth/upstream-callback']);

const graphPaths = new Set(['/graphql', '/explorer', '/supergraph.graphql']);

/** One listener for everything; the first path segment chooses the front door. */
export function createListener({
  dataplane,
  rest,
  oauth2,
  scim,
  graphHttp,
  console,
  mcp,
  authorize,
  standalone,
  metrics,
  operations,
  log,
}: FrontDoors): Listener {
  function route(request: IncomingMessage, response: ServerResponse): [Door, Promise<unknown> | unknown] {
    const { path, query } = splitUrl(request.url);
    // No path of another door is one of an MCP server: it need not be held against theirs.
    const place = path.endsWith('/mcp') ? mcp.match(path) : null;
    if (place) return answerMcp(place, request, response);
    if (path.startsWith('/v1/')) {
      const operation = rest.match(request, path) ?? rest.refuse(request, path);
      if (operation) return ['rest', operation(request, response)];
      return ['inference', dataplane.handle(request, response, path.slice(3), query)];
    }
    if (peoplePaths.has(path)) return ['console', authorize(request, response)];
    if (administration.test(path)) {
      const operation = oauth2.match(path) ?? scim?.match(path) ?? rest.match(request, path) ?? rest.notFound;
      return ['rest', operation(request, response)];
    }
    // A stream counts as its own door: the time that it stays open would spoil the durations of the graph.
    if (path === '/graphql/stream') return ['stream', graphHttp.handle(request, response)];
    if (graphPaths.has(path) || path.startsWith('/explorer/')) {
      if (request.method === 'TRACE')
        return ['graph', refuseMethod(response, path === '/graphql' ? 'GET, POST' : 'GET, HEAD')];
      return ['graph', graphHttp.handle(request, response)];
    }
    if (standalone && path.startsWith('/subgraphs/')) {
      if (request.method === 'TRACE') return ['subgraph', refuseMethod(response, 'GET, POST')];
      return ['subgraph', standalone.handle(request, response)];
    }
    if (console && (path === '/console' || path.startsWith('/console/'))) {
      // As with streams of the graph, the time that one stays open says nothing about the door.
      return [path === '/console/graphql/stream' ? 'stream' : 'console', console.handle(request, response)];
    }
    const gone = mcp.match(path);
    if (gone) return answerMcp(gone, request, response);
    if (path.startsWith('/invites/')) return ['operations', answerInvite(path, request, response)];
    return ['operations', operations(path, request, response)];
  }

  /** A stream that is opened with GET stays open. */
  const answerMcp = (
    place: McpPlace,
    request: IncomingMessage,
    response: ServerResponse,
  ): [Door, Promise<unknown>] => [
    request.method === 'GET' ? 'stream' : 'mcp',
    mcp.handle(request, response, place),
  ];

  /** A browser is led to the console, which signs in whom it lets in; what reads the secret there is in the fragment. */
  async function answerInvite(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const isBrowser = isRead(request) && request.headers.accept?.includes('text/html');
    if (!isBrowser || !(await console?.isBuilt())) return answerInvitePage(request, response);
    const location = `../console/invite#${path.slice('/invites/'.length)}`;
    response.writeHead(302, { ...plainPageHeaders, location }).end();
  }

  return (request, response) => {
    const [door, pending] = route(request, response);
    metrics.observe(door, response);
    if (!(pending instanceof Promise)) return;
    pending.catch((error: unknown) => {
      log.error({ error, door }, 'A request failed outside its error handling.');
      if (response.headersSent) response.destroy();
      else answer(response, 500, inferenceBody(new GatewayError('INTERNAL')));
    });
  };
}

export const createSubgraphListener =
  ({ standalone, metrics }: { standalone: GraphHttp; metrics: Metrics }): Listener =>
  (request, response) => {
    const door: Door = 'subgraph';
    metrics.observe(door, response);
    if (request.method === 'TRACE') refuseMethod(response, 'GET, POST');
    else standalone.handle(request, response);
  };

type UpgradeDoors = {
  adopt(request: IncomingMessage): void;
  graph: UpgradeListener;
  realtime: Realtime;
};

/** Passes on requests for a WebSocket at the two paths that have one, and answers 404 elsewhere. */
export const createUpgradeListener =
  ({ adopt, graph, realtime }: UpgradeDoors): UpgradeListener =>
  (request, socket, head) => {
    const { path, query } = splitUrl(request.url);
    adopt(request);
    if (path === '/graphql') graph(request, socket, head);
    else if (path === '/v1/realtime') realtime.handleUpgrade(request, socket, head, query);
    else refuseUpgrade(socket, '404 Not Found');
  };
