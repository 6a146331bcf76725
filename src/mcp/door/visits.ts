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

/** Finds out who sends a request. Rejects with an RpcFailure where nobody may come in. */
export async function arrivalOf(
  request: IncomingMessage,
  base: string,
  authenticate: AuthenticateMcp,
): Promise<McpArrival> {
  const clock = { startedAt: performance.now(), createdAt: new Date() };
  const { headers, url = '/' } = request;
  const { path } = splitUrl(url);
  const resourceUrl = `${base}${path}`;
  const found = authenticate(request, resourceUrl);
  const caller = found instanceof Promise ? await found : found;
  const visit = {
    ...{ caller, headers, url, resourceUrl, ...clock },
    trace: traceOf(request),
    route: path === '/mcp' ? ('aggregate' as const) : ('endpoint' as const),
    metadata: metadataOf(headers, caller),
  };
  return { request, headers, caller, visit };
}

/** The caller's own metadata, under those of its credential. */
function metadataOf(headers: IncomingHttpHeaders, { key }: McpCaller): Record<string, string> {
  const text = headerOf(headers, 'x-gateway-metadata');
  const asked = text === undefined ? {} : labels(Object.entries(parsedObject(text) ?? {}));
  return requestMetadata(undefined, asked, key.principal);
}
