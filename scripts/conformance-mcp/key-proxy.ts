import { createServer, request as httpRequest } from 'node:http';
import { listen } from '../../src/http/server.ts';

/** Passes requests to a gateway with a key, which the suite does not know; their host and origin stay as they are. */
export async function startKeyProxy(
  gateway: string,
  slug: string,
  key: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port: target } = new URL(gateway);
  const server = createServer((request, response) => {
    const onward = httpRequest(
      {
        ...{ hostname, port: target, method: request.method, path: `/${slug}/mcp` },
        headers: { ...request.headers, 'x-gateway-api-key': key },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
