import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { clientAddress, clientCountry } from '../lib/http/client-address.ts';
import { localUrl } from '../lib/http/local-url.ts';
import { splitUrl } from '../lib/http/request-url.ts';
import type { RequestFacts } from '../subgraphs/context.ts';

/** What resolvers and services get to know of the HTTP request behind an operation. */
export function requestFacts(request: IncomingMessage): RequestFacts {
  // Express cuts the mount path off `url`; the whole path stands in `originalUrl`.
  const { originalUrl, url } = request as IncomingMessage & { originalUrl?: string };
  return {
    id: randomUUID(),
    method: request.method ?? 'GET',
    ...splitUrl(originalUrl ?? url),
    headers: request.headers,
    clientIp: clientAddress(request) ?? '',
    country: clientCountry(request),
    arrivedAt: () => arrivalOf(request),
  };
}

/** A listener for both IP versions gives an IPv4 address in the form of IPv6. */
function arrivalOf({ socket: { localAddress = '127.0.0.1', localPort = 0 } }: IncomingMessage): string {
  return localUrl(localAddress.replace(/^::ffff:(?=\d+\.)/i, ''), localPort);
}
