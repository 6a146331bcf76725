import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApolloServer, HeaderMap } from '@apollo/server';
import { GatewayError } from '../../errors/index.ts';
import { compressed } from '../../lib/http/compressed.ts';
import { splitUrl } from '../../lib/http/request-url.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import type { BodyRequest } from './body.ts';
import { sandboxHeaders } from './sandbox.ts';

/** In the memo of a request whose operation is a query: its answer holds no secret. */
export const isQuery = Symbol('isQuery');

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);
const pageHeaders = new Map(Object.entries(sandboxHeaders));

/**
 * Answers requests by an Apollo Server that has started. Written here, though Apollo has a package for Express, since
 * Express costs a small answer a tenth of its time.
 */
export const apolloHandler =
  (
    server: ApolloServer<GraphContext>,
    contextOf: (request: BodyRequest, response: ServerResponse) => Promise<GraphContext>,
  ) =>
  async (request: BodyRequest, response: ServerResponse): Promise<void> => {
    // Apollo Server would look for a preflight first, and say nothing of the method.
    if (!methods.has(request.method ?? '')) {
      response.setHeader('allow', 'GET, POST');
      throw new GatewayError('METHOD_NOT_ALLOWED');
    }
    const { query } = splitUrl(request.url);
    let memo: GraphContext['memo'] | null = null;
    const { status, headers, body } = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method: request.method ?? 'GET',
        headers: headerMap(request),
        search: query,
        body: request.body,
      },
      async context() {
        const context = await contextOf(request, response);
        memo = context.memo;
        return context;
      },
    });
    // The caller has left, or has already been told that its body was too slow.
    if (response.headersSent || response.destroyed) return;
    for (const [name, value] of headers) response.setHeader(name, value);
    if (headers.get('content-type')?.startsWith('text/html')) response.setHeaders(pageHeaders);
    if (body.kind === 'chunked') throw new Error('Answers in parts are not part of this schema.');
    const text = body.string;
    const sent = isRead(memo) ? await compressed(request, response, text) : { body: text, headers: {} };
    if (response.headersSent || response.destroyed) return;
    response.writeHead(status ?? 200, { ...sent.headers, 'content-length': Buffer.byteLength(sent.body) });
    response.end(sent.body);
  };

const isRead = (memo: GraphContext['memo'] | null): boolean => memo?.has(isQuery) ?? false;

/**
 * Headers that Apollo Server hands on. It refuses a GET that the page of another site could send without a preflight, unless
 * a header says that there was one; a key or a bearer token says that as well, since no browser sends either by itself.
 */
function headerMap({ headers }: IncomingMessage): HeaderMap {
  const map = new HeaderMap();
  if (headers['x-gateway-api-key'] !== undefined || /^bearer /i.test(headers.authorization ?? ''))
    map.set('apollo-require-preflight', 'credential');
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) map.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return map;
}
