import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRest, type OperationFile, type RestOptions } from '../../../rest-compat/index.ts';
import type { Graph } from '../../../src/graph/index.ts';
import { splitUrl } from '../../../src/lib/http/request-url.ts';
import { smallContext, somebody } from '../../graph/small-graph.ts';

export type Answer = { status: number; headers: Headers; text: string; body: unknown };

/** REST documents over a small graph, listening on a port of its own. */
export async function smallRest(graph: Graph, text: string, options: Partial<RestOptions> = {}) {
  const operations: OperationFile[] = [{ path: 'small.graphql', text }];
  const context = smallContext();
  const rest = createRest({
    graph,
    operations,
    surfaces: { V1: { prefix: '/v1', authenticate: async () => somebody() } },
    createContext: (principal, { method = '', url, headers }) => ({
      ...context,
      principal,
      request: { ...context.request, method, ...splitUrl(url), headers },
      memo: new Map(),
    }),
    log: context.log,
    ...options,
  });
  const server: Server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const handler = rest.match(request, path);
    if (handler) void handler(request, response);
    else response.writeHead(404).end('not mine');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function call(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(origin + path, { method, ...init });
    const answer = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && answer !== '';
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      body: isJson ? JSON.parse(answer) : undefined,
    };
  }

  return {
    rest,
    port: (server.address() as AddressInfo).port,
    recorded: context.recorded,
    call,
    send: (method: string, path: string, body: unknown) =>
      call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
