import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors/index.ts';

/** Throws FORBIDDEN for a request that a page of another origin may have sent, and UNSUPPORTED_MEDIA_TYPE for a POST that is no JSON. */
export function requireOwnPage(request: IncomingMessage, publicUrl: string | null): void {
  requireOwnOrigin(request, publicUrl);
  if (request.method === 'POST' && !isJson(request.headers['content-type'])) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The content type must be application/json.',
    });
  }
}

/**
 * Throws FORBIDDEN for a request that a page of another origin may have sent. Browsers say in `Sec-Fetch-Site` where a
 * request comes from, and over plain HTTP in `Origin`. Of what changes nothing they may say neither.
 */
export function requireOwnOrigin(request: IncomingMessage, publicUrl: string | null): void {
  const { headers, method } = request;
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isOwn =
    site !== undefined
      ? site === 'same-origin'
      : origin !== undefined
        ? isOwnOrigin(origin, headers.host, publicUrl)
        : method === 'GET' || method === 'HEAD';
  if (!isOwn) {
    throw new GatewayError('FORBIDDEN', {
      message: 'The console takes requests of its own pages alone: Sec-Fetch-Site must be same-origin.',
      param: site === undefined ? 'origin' : 'sec-fetch-site',
    });
  }
}

/** Behind a proxy the Host header may be another than the one that the browser sees. */
function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const sent = new URL(origin);
  return sent.host === host || (publicUrl !== null && sent.origin === new URL(publicUrl).origin);
}

const isJson = (type = ''): boolean => type.split(';')[0]?.trim().toLowerCase() === 'application/json';
