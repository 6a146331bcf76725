import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { listen } from '../../src/http/server.ts';
import { textOf } from './upstream.ts';

/** Where a request may be sent: a process as it runs now, which another one with another name follows. */
export type Target = { name: string; url: string };

export type Proxy = { url: string; stop(): Promise<void> };

/**
 * A load balancer that knows nothing of sessions: each request goes to the next process. One that takes no connection is
 * passed over; once a request was sent, nobody sends it again. `x-served-by` of an answer names the process.
 */
export async function startProxy(targets: () => readonly Target[]): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  let turn = 0;

  function send(request: IncomingMessage, response: ServerResponse, body: string, left: number): void {
    const running = targets();
    const target = running[turn++ % Math.max(1, running.length)];
    if (target === undefined || left === 0) return void response.writeHead(503).end();
    const onward = httpRequest(
      `${target.url}${request.url}`,
      { method: request.method, headers: request.headers, agent },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'x-served-by': target.name });
        answer.pipe(response);
        answer.on('aborted', () => response.destroy());
        answer.on('error', () => response.destroy());
      },
    );
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') send(request, response, body, left - 1);
      else if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    onward.end(body);
  }

  const server = createServer((request, response) => {
    textOf(request).then(
      (body) => send(request, response, body, targets().length + 1),
      () => response.destroy(),
    );
  });
  // With Node's five seconds a client may send on a connection that is being closed, after the pause at the end.
  server.keepAliveTimeout = 120_000;
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
