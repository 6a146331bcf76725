import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Call } from '../call/call.ts';
import { MESSAGE_LIMITS } from './relay.ts';

/** A connection as Node hands it over when its caller asks for another protocol. */
export type Handover = { socket: Duplex; head: Buffer };

/** What the answer to an upgrade says: the subprotocol, '' for none, and headers. */
type Answer = { protocol: string; headers: Record<string, string> };

/** Makes WebSockets of callers' connections; null for one that is gone by then. The socket is paused. */
export function createUpgrade(): (call: Call, to: Handover, answer: Answer) => Promise<WebSocket | null> {
  const answers = new WeakMap<IncomingMessage, Answer>();
  const server = new WebSocketServer({
    noServer: true,
    ...MESSAGE_LIMITS,
    perMessageDeflate: false,
    handleProtocols: (_offered, request) => answers.get(request)?.protocol || false,
  });
  server.on('headers', (lines, request) => {
    for (const [name, value] of Object.entries(answers.get(request)?.headers ?? {}))
      lines.push(`${name}: ${value}`);
  });
  return ({ request, response }, { socket, head }, answer) => {
    response.detachSocket(socket as Socket);
    answers.set(request, answer);
    return new Promise((resolve) => {
      socket.once('close', () => resolve(null));
      server.handleUpgrade(request, socket, head, (accepted) => {
        accepted.pause();
        resolve(accepted);
      });
    });
  };
}
