import type { IncomingMessage } from 'node:http';

/** Path and query string (without the question mark) of a request line's URL. */
export function splitUrl(url = '/'): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

const SLASH = 0x2f;
const absolute = /^https?:\/\/(?:[^/?#@]*@)?([^/?#@]+)(.*)$/is;

/**
 * Gives a request whose target is a whole URL (`GET http://host/path`), as clients write it for proxies, the form that all
 * others have. Its host then counts in the place of the Host header (RFC 9112, section 3.2.2).
 */
export function adoptTarget(request: Pick<IncomingMessage, 'url' | 'headers'>): void {
  const { url } = request;
  if (url === undefined || url.charCodeAt(0) === SLASH) return;
  const [, host, rest = ''] = absolute.exec(url) ?? [];
  if (host === undefined) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = host;
}
