import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that shows a service below a path, and answers nothing elsewhere. */
export type Prefix = {
  /** Where it is reached; without a slash at its end. */
  url: string;
  /** Says whom it stands before. */
  leadTo(service: string): void;
  close(): void;
};

/** Opens such a proxy, so that the service can be told its public address before it starts. */
export async function openPrefix(path: string): Promise<Prefix> {
  const prefix = `/${path.split('/').filter(Boolean).join('/')}`;
  let target = '';

  function pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const { url = '', method, headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void answer.writeHead(404).end('Nothing is here.');
    const outgoing = request(new URL(url.slice(prefix.length), target), { method, headers });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    // Whoever hangs up is seen to by the service as well.
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    leadTo(service) {
      target = service;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
