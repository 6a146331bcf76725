import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { graphql, parse } from 'graphql';

export type LocalRemote = { url: string; stop(): Promise<void> };

/** An HTTP server in this process that stands where a remote subgraph should be. */
export async function serveRemote(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LocalRemote> {
  const server: Server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A well-behaved remote subgraph of this SDL. */
export function subgraphHandler(sdl: string, resolvers: object) {
  const schema = buildSubgraphSchema([
    { typeDefs: parse(sdl), resolvers: resolvers as Record<string, never> },
  ]);
  return async (request: IncomingMessage, response: ServerResponse) => {
    const { query, variables } = JSON.parse(await text(request));
    const result = await graphql({ schema, source: query, variableValues: variables });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(result));
  };
}
