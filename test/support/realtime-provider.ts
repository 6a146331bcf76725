import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { listen } from '../../src/http/server.ts';

export type ProviderSession = { request: IncomingMessage; socket: WebSocket };

export type RealtimeProvider = {
  /** Base URL with a version path, as a custom host takes it. */
  url: string;
  /** The next session that the gateway opens. */
  session(): Promise<ProviderSession>;
  /** Answers openings with this instead of a session; null opens sessions again. */
  answerWith(answer: ((socket: Duplex) => void) | null): void;
  /** Opens sessions to whoever shows this key, and answers 401 to others; null opens them to everybody again. */
  takeOnly(key: string | null): void;
  /** Sessions opened so far. */
  opened(): number;
  stop(): Promise<void>;
};

export const sessionCreated = {
  type: 'session.created',
  event_id: 'event_1',
  session: { id: 'sess_1', object: 'realtime.session', model: 'gpt-realtime' },
};

/** A provider of realtime sessions on loopback, which greets like OpenAI and echoes nothing by itself. */
export async function startRealtimeProvider(): Promise<RealtimeProvider> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 * 1024 });
  let answer: ((socket: Duplex) => void) | null = null;
  let taken: string | null = null;
  let opened = 0;
  const held = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    held.add(socket);
    socket.once('close', () => held.delete(socket));
    socket.on('error', () => socket.destroy());
    if (answer) return answer(socket);
    if (taken !== null && request.headers.authorization !== `Bearer ${taken}`)
      return void socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      opened++;
      // At once, so that a gateway which listens too late loses it.
      accepted.send(JSON.stringify(sessionCreated));
      sockets.emit('session', { request, socket: accepted });
    });
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async session() {
      const [session] = await once(sockets, 'session');
      return session as ProviderSession;
    },
    answerWith(next) {
      answer = next;
    },
    takeOnly(key) {
      taken = key;
    },
    opened: () => opened,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of held) socket.destroy();
      }),
  };
}
