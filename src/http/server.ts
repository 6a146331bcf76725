import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Oauth2, Reference, Rest, Scim } from '../../rest-compat/index.ts';
import type { Console } from '../console/door.ts';
import type { Dataplane } from '../dataplane/index.ts';
import type { Realtime } from '../dataplane/realtime/index.ts';
import { administrationBody, GatewayError, inferenceBody } from '../errors/index.ts';
import type { GraphHttp } from '../graph/doors/http.ts';
import { refuseUpgrade } from '../graph/index.ts';
import { type ArrivalLimits, watchArrivals, watched } from '../lib/bodies/index.ts';
import { localUrl } from '../lib/http/local-url.ts';
import { plainPageHeaders } from '../lib/http/page-headers.ts';
import { adoptTarget, splitUrl } from '../lib/http/request-url.ts';
import type { Logger } from '../lib/logger.ts';
import type { McpDoor } from '../mcp/door/index.ts';
import { answerInvitePage } from './invite-page.ts';
import type { Listener, UpgradeListener } from './listener.ts';
import type { Metrics } from './metrics.ts';
import type { OperationsAccess } from './operations-access.ts';
import { hasTwoHosts, soundRequests } from './request-soundness.ts';

type Doors = {
  dataplane: Dataplane;
  rest: Rest;
  oauth2: Oauth2;
  /** Null when another process serves identities. */
  scim: Scim | null;
  reference: Reference;
  graphHttp: GraphHttp;
  /** Null where it is switched off. */
  console: Console | null;
  mcp: McpDoor;
  /** Answers the paths of OAuth at which people are. */
  authorize(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Null when the subgraphs have a listener of their own, or are not served. */
  standalone: GraphHttp | null;
  metrics: Metrics;
  isReady: () => { ready: boolean; status: string };
  seesOperations: OperationsAccess;
  log: Logger;
};

type Door = 'inference' | 'rest' | 'graph' | 'subgraph' | 'stream' | 'console' | 'mcp' | 'operations';

/**
 * Every path below these is administration. Below `/v1`, a path that no document of the administration knows goes to
 * a provider.
 */
const administration = /^\/(v2|v0\.1|admin\/v2|iam\/v1|oauth2?|scim|\.well-known|model-configs)\//;

const operationsPaths = new Set(['/', '/healthz', '/readyz', '/metrics']);

/** Pages at which people let MCP clients in, and themselves in at servers. */
const peoplePaths = new Set(['/oauth/authorize', '/oauth/upstream-callback']);

const graphPaths = new Set(['/graphql', '/explorer', '/supergraph.graphql']);

/** One listener for everything; the first path segment chooses the front door. */
export function createListener({
  dataplane,
  rest,
  oauth2,
  scim,
  reference,
  graphHttp,
  console,
  mcp,
  authorize,
  standalone,
  metrics,
  isReady,
  seesOperations,
  log,
}: Doors): Listener {
  function route(request: IncomingMessage, response: ServerResponse): [Door, Promise<unknown> | unknown] {
    const { path, query } = splitUrl(request.url);
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
    const place = mcp.match(path);
    if (place) {
      const handled = mcp.handle(request, response, place);
      // A stream that is opened with GET stays open.
      return [request.method === 'GET' ? 'stream' : 'mcp', handled];
    }
    if (path.startsWith('/invites/')) return ['operations', answerInvite(path, request, response)];
    return ['operations', operations(path, request, response)];
  }

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

  async function operations(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const documented = reference.match(path);
    if (documented) return documented(request, response);
    if (operationsPaths.has(path) && !isRead(request)) return answerMethods(request, response);
    if (path === '/healthz') return answer(response, 200, { status: 'ok' });
    if (path === '/readyz') {
      const state = isReady();
      const shown = seesOperations(request) ? state : { ready: state.ready, status: state.status };
      return answer(response, state.ready ? 200 : 503, shown);
    }
    if (path === '/metrics') {
      if (!seesOperations(request)) return refuseMetrics(response);
      response.writeHead(200, { ...plainPageHeaders, 'content-type': metrics.contentType });
      response.end(await metrics.text());
      return;
    }
    if (path === '/') {
      // Relative to the address that the browser knows, which a proxy may have put below a path.
      if (console && request.headers.accept?.includes('text/html'))
        return void response.writeHead(302, { ...plainPageHeaders, location: 'console/' }).end();
      response.writeHead(200, { ...plainPageHeaders, 'content-type': 'text/plain; charset=utf-8' });
      response.end(
        'Sluice is running. Inference: /v1, graph: /graphql, explorer: /explorer, reference: /reference, health: /healthz\n',
      );
      return;
    }
    answer(response, 404, { message: 'Not Found', ok: false });
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

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...plainPageHeaders, 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const READ_METHODS = 'GET, HEAD, OPTIONS';

function answerMethods({ method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'OPTIONS') response.writeHead(204, { allow: READ_METHODS }).end();
  else refuseMethod(response, READ_METHODS);
}

function refuseMethod(response: ServerResponse, allow: string): void {
  response.setHeader('allow', allow);
  answer(response, 405, administrationBody(new GatewayError('METHOD_NOT_ALLOWED')));
}

function refuseMetrics(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Bearer');
  const message =
    'Metrics are for programs on the machine itself, and for whoever sends METRICS_TOKEN as bearer token.';
  answer(response, 401, inferenceBody(new GatewayError('UNAUTHENTICATED', { message })));
}

const MAX_HEADER_BYTES = 64 * 1024;
/** Connections that wait until they are accepted; Linux has a bound of its own, 4096 unless it is told otherwise. */
const BACKLOG = 4096;
/** The most milliseconds that a body may take to arrive, whatever its speed. */
const MAX_UPLOAD_TIME = 3_600_000;

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

/** The HTTP server around a listener. It accepts large headers, because a config travels in one. */
export function createHttpServer(
  listener: Listener,
  onUpgrade?: UpgradeListener,
  arrivalLimits?: ArrivalLimits,
): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: 75_000,
      // Some clients offer HTTP/2 with every request; the offer is ignored.
      shouldUpgradeCallback: ({ headers }) =>
        onUpgrade !== undefined && headers.upgrade?.toLowerCase() === 'websocket',
    },
    watched(soundRequests(listener)),
  );
  watchArrivals(server, arrivalLimits);
  server.headersTimeout = 80_000;
  server.requestTimeout = MAX_UPLOAD_TIME;
  if (onUpgrade) server.on('upgrade', soundUpgrades(onUpgrade));
  return server;
}

const soundUpgrades =
  (onUpgrade: UpgradeListener): UpgradeListener =>
  (request, socket, head) => {
    if (hasTwoHosts(request)) return refuseUpgrade(socket, '400 Bad Request');
    adoptTarget(request);
    onUpgrade(request, socket, head);
  };

export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Opens the listener that federation routers have to themselves. */
export async function openSubgraphListener(options: {
  handle: Listener;
  host: string;
  port: number;
}): Promise<{ server: Server; port: number; url: string }> {
  const server = createHttpServer(options.handle);
  const port = await listen(server, options.host, options.port).catch((error: Error) => {
    throw new Error(`SUBGRAPH_HOST, SUBGRAPH_PORT: ${error.message}`, { cause: error });
  });
  return { server, port, url: localUrl(options.host, port) };
}

/** How often connections that fell idle are looked for during a stop, in milliseconds. */
const IDLE_CHECK = 50;

/** Milliseconds in which a caller can read the last words of an answer that was ended. */
const LAST_WORDS_MS = 1000;

/**
 * Takes no new requests and lets open ones finish for `grace` milliseconds. Then `endOpen` ends what is left, so that a
 * stream says why it ends, and what is still there a second later is cut; without `endOpen` it is cut at once.
 */
export function close(server: Server, grace: number, endOpen?: () => void): Promise<void> {
  return new Promise((resolve) => {
    const cutAll = () => server.closeAllConnections();
    let cut = setTimeout(() => {
      if (!endOpen) return cutAll();
      endOpen();
      cut = setTimeout(cutAll, LAST_WORDS_MS);
    }, grace);
    // A connection that waits for a next request after a complete answer is closed.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}
