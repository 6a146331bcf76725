import { promisify } from 'node:util';
import { createGraphHttp, type Graph, type GraphHttpOptions } from '../../src/graph/index.ts';
import { close, createHttpServer, listen } from '../../src/http/server.ts';
import type { smallContext } from './small-graph.ts';

export type SmallDoor = {
  port: number;
  origin: string;
  openConnections(): Promise<number>;
  stop(): Promise<void>;
};

/** The graph's HTTP door on a port of its own; every request gets a fresh copy of `context`. */
export async function openDoor(
  graph: Graph,
  context: ReturnType<typeof smallContext>,
  options: Partial<Pick<GraphHttpOptions, 'authenticate' | 'safety'>> = {},
): Promise<SmallDoor> {
  const http = createGraphHttp({
    graph,
    authenticate: async () => context.principal,
    createContext: (principal) => ({
      ...context,
      principal,
      request: { ...context.request },
      memo: new Map(),
    }),
    log: context.log,
    ...options,
  });
  await http.start();
  const server = createHttpServer(http.handle);
  const port = await listen(server, '127.0.0.1', 0);
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    openConnections: () => promisify(server.getConnections.bind(server))(),
    async stop() {
      await close(server, 0);
      await http.stop();
    },
  };
}
