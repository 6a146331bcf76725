import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { labels, requestMetadata } from '../../auth/labels.ts';
import { traceOf } from '../../dataplane/call/trace.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { splitUrl } from '../../lib/http/request-url.ts';
import { parsedObject } from '../../lib/json.ts';
import type { McpCaller } from '../exchange/caller.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { AuthenticateMcp } from './authenticate.ts';

/** A request whose caller is known. */
export type McpArrival = {
  request: IncomingMessage;
  headers: IncomingHttpHeaders;
  caller: McpCaller;
  visit: Omit<McpVisit, 'era' | 'version' | 'session'>;
};

/** What is known of a request before its caller is. */
export type McpKnock = Omit<McpArrival['visit'], 'caller' | 'metadata'>;

export function knockOf(request: IncomingMessage, base: string): McpKnock {
  const { headers, url = '/' } = request;
  const { path } = splitUrl(url);
  return {
    headers,
    url,
    resourceUrl: `${base}${path}`,
    startedAt: performance.now(),
    createdAt: new Date(),
    trace: traceOf(request),
    route: path === '/mcp' ? 'aggregate' : 'endpoint',
  };
}

/** Finds out who sends a request. Throws, or rejects with, an RpcFailure where nobody may come in. */
export function arrivalOf(
  request: IncomingMessage,
  knock: McpKnock,
  authenticate: AuthenticateMcp,
): McpArrival | Promise<McpArrival> {
  const { headers } = request;
  const arrived = (caller: McpCaller): McpArrival => ({
    request,
    headers,
    caller,
    visit: { ...knock, caller, metadata: metadataOf(headers, caller) },
  });
  const found = authenticate(request, knock.resourceUrl);
  return found instanceof Promise ? found.then(arrived) : arrived(found);
}

/** The caller's own metadata, under those of its credential. */
export function metadataOf(
  headers: IncomingHttpHeaders,
  { key }: Pick<McpCaller, 'key'>,
): Record<string, string> {
  const text = headerOf(headers, 'x-gateway-metadata');
  const asked = text === undefined ? {} : labels(Object.entries(parsedObject(text) ?? {}));
  return requestMetadata(undefined, asked, key.principal);
}
