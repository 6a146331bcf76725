import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Listener } from './listener.ts';

/** Seconds for which a browser keeps the answer to its preflight; no browser keeps it for more than two hours. */
const MAX_AGE = 7200;
const METHODS = 'GET, HEAD, POST, PUT, DELETE';

/**
 * A listener that lets pages of these origins read answers and send any header. Callers are known by a key in a
 * header and never by a cookie. The console, which knows them by a cookie, is for its own pages alone.
 */
export function allowOrigins(origins: readonly string[], listener: Listener): Listener {
  if (origins.length === 0) return listener;
  const isOpen = origins.includes('*');
  const allowed = new Set(origins);
  return (request, response) => {
    const { origin } = request.headers;
    if (request.url?.startsWith('/console/')) return listener(request, response);
    // Answers without the header vary too: a cache must not give them to pages of an allowed origin.
    if (!isOpen) response.setHeader('vary', 'origin');
    if (origin === undefined || !(isOpen || allowed.has(origin))) return listener(request, response);
    response.setHeader('access-control-allow-origin', isOpen ? '*' : origin);
    if (isPreflight(request)) return answerPreflight(request, response);
    response.setHeader('access-control-expose-headers', '*');
    listener(request, response);
  };
}

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const wanted = headers['access-control-request-headers'];
  response.writeHead(204, {
    'access-control-allow-methods': METHODS,
    ...(wanted !== undefined && { 'access-control-allow-headers': wanted }),
    'access-control-max-age': String(MAX_AGE),
  });
  response.end();
}
