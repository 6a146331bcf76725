import { createServer, type Server } from 'node:http';
import { refuseUpgrade } from '../graph/index.ts';
import { type ArrivalLimits, watchArrivals, watched } from '../lib/bodies/index.ts';
import { localUrl } from '../lib/http/local-url.ts';
import { adoptTarget } from '../lib/http/request-url.ts';
import type { Listener, UpgradeListener } from './listener.ts';
import { hasTwoHosts, soundRequests } from './request-soundness.ts';

const MAX_HEADER_BYTES = 64 * 1024;
/** Connections that wait until they are accepted; Linux has a bound of its own, 4096 unless it is told otherwise. */
const BACKLOG = 4096;
/** The most milliseconds that a body may take to arrive, whatever its speed. */
const MAX_UPLOAD_TIME = 3_600_000;

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
