import type { IncomingMessage, ServerResponse } from 'node:http';
import { administrationBody, GatewayError } from '../errors/index.ts';
import { adoptTarget } from '../lib/http/request-url.ts';
import type { Listener } from './listener.ts';

/** Wraps a listener so that it gets no ambiguous request: one that a proxy in front may have read differently. */
export const soundRequests =
  (listener: Listener): Listener =>
  (request, response) => {
    if (hasTwoHosts(request)) return refuseHosts(request, response);
    adoptTarget(request);
    listener(request, response);
  };

/** Of two Host headers, a proxy in front may have read the other one (RFC 9112, section 3.2). */
export function hasTwoHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let found = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') found++;
  }
  return found > 1;
}

function refuseHosts(request: IncomingMessage, response: ServerResponse): void {
  const error = new GatewayError('VALIDATION_FAILED', {
    message: 'The request has more than one Host header.',
    param: 'host',
  });
  response.writeHead(400, { 'content-type': 'application/json', connection: 'close' });
  response.end(request.method === 'HEAD' ? undefined : JSON.stringify(administrationBody(error)));
}
