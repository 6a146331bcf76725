import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { errorHeaders } from '../errors/format.ts';
import { GatewayError, inferenceBody } from '../errors/index.ts';
import { plainPageHeaders } from '../lib/http/page-headers.ts';
import { splitUrl } from '../lib/http/request-url.ts';

/**
 * Milliseconds that a request waits for the service. A start that takes longer, since an index is made or the database is
 * slow to answer, tells callers to come again.
 */
const PATIENCE_MS = 10_000;
const RETRY_AFTER_S = 1;

type Waiting = { request: IncomingMessage; response: ServerResponse; impatience: NodeJS.Timeout };

/**
 * Answers for a service that has its port and is not ready yet: `/healthz` says that the process lives, `/readyz` that it
 * starts, and everything else waits for a while. The function that comes back gives the server to the service. A request to
 * upgrade a connection does not wait: its connection is closed until then.
 */
export function answerWhileStarting(server: Server, patience = PATIENCE_MS): () => void {
  const requests = server.rawListeners('request') as ((...args: unknown[]) => void)[];
  const upgrades = server.rawListeners('upgrade') as ((...args: unknown[]) => void)[];
  const waiting = new Set<Waiting>();

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const { path } = splitUrl(request.url);
    if (path === '/healthz') answer(response, 200, { status: 'ok' });
    else if (path === '/readyz') answer(response, 503, { ready: false, status: 'starting' });
    else {
      const impatience = setTimeout(() => {
        waiting.delete(held);
        refuse(response);
      }, patience);
      const held: Waiting = { request, response, impatience };
      waiting.add(held);
    }
  }

  server.removeAllListeners('request').removeAllListeners('upgrade');
  server.on('request', receive);
  return () => {
    server.off('request', receive);
    for (const listener of requests) server.on('request', listener);
    for (const listener of upgrades) server.on('upgrade', listener);
    for (const { request, response, impatience } of waiting) {
      clearTimeout(impatience);
      server.emit('request', request, response);
    }
    waiting.clear();
  };
}

function refuse(response: ServerResponse): void {
  const error = new GatewayError('STARTING', { retryAfter: RETRY_AFTER_S });
  // What follows of a body that nobody reads shall not be taken for the next request.
  answer(response, 503, inferenceBody(error), { ...errorHeaders(error), connection: 'close' });
}

function answer(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { ...plainPageHeaders, 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
