import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLError } from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { GatewayError } from '../../../errors/index.ts';
import type { Logger } from '../../../lib/logger.ts';
import { toGraphError } from '../errors.ts';
import { requestError } from '../http-errors.ts';
import { requestIdOf } from '../request-id.ts';
import { type AdmittedOperation, formatError, formatResult, type Operations } from './operations.ts';
import type { Session, Sessions } from './sessions.ts';

export type WebSocketDoor = {
  /** Takes over a connection that asked for a WebSocket. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every connection and takes no new ones. */
  stop(): Promise<void>;
};

type Params = Record<string, unknown>;
type Connection = { socket: WebSocket; request: IncomingMessage; session: Session | null };

/** The most sockets of this process, with or without credentials. */
const SOCKETS = 5000;
/** Operations that one connection may have open. */
const OPERATIONS = 20;
/** Bytes of one message, as of a request over HTTP. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** The most bytes that may wait for a client that does not read; a client within its limits never has so many. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
/** Milliseconds for the first message, which brings the credential. */
const INIT_TIMEOUT = 5000;
/** Milliseconds between pings; a client that has not answered one by the next is gone. */
const PING_INTERVAL = 15_000;
/** Milliseconds for clients to answer that a connection closes. */
const CLOSE_TIMEOUT = 1000;

/** Close codes of RFC 6455. */
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
/** The most bytes that RFC 6455 leaves for the reason beside the code. */
const MAX_REASON_BYTES = 123;

/** The graph over WebSocket, subprotocol `graphql-transport-ws`. */
export function createWebSocketDoor(operations: Operations, sessions: Sessions, log: Logger): WebSocketDoor {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, handleProtocols });
  let stopping = false;

  const protocol = makeServer<Params, Connection>({
    connectionInitWaitTimeout: INIT_TIMEOUT,
    async onConnect({ extra, connectionParams }) {
      const { socket, request } = extra;
      try {
        const headers = { ...request.headers, ...headersIn(connectionParams) };
        const session = await sessions.open({
          request,
          headers,
          requestId: requestIdOf(request),
          end: (error) => closeFor(socket, error),
        });
        if (socket.readyState === socket.OPEN) extra.session = session;
        else session.close();
        return true;
      } catch (error) {
        closeFor(socket, toGraphError(error));
        return false;
      }
    },
    onSubscribe: async (context, _id, payload) => {
      try {
        return await admit(context, payload);
      } catch (error) {
        return [requestError(toGraphError(error))];
      }
    },
    execute: operations.execute,
    subscribe: operations.subscribe,
    onNext: (_context, _id, _payload, _args, result) => formatResult(result),
    onError: (_context, _id, _payload, errors) => errors.map(formatError),
    onClose: ({ extra }) => extra.session?.close(),
  });

  async function admit(
    { extra, subscriptions }: Context<Params, Connection>,
    payload: { query: string; operationName?: unknown; variables?: unknown },
  ): Promise<AdmittedOperation | readonly GraphQLError[]> {
    if (!extra.session) throw new GatewayError('UNAUTHENTICATED');
    if (Object.keys(subscriptions).length > OPERATIONS) {
      throw new GatewayError('TOO_MANY_SUBSCRIPTIONS', {
        message: `A connection may have ${OPERATIONS} operations open.`,
      });
    }
    return operations.admit(payload, extra.session);
  }

  function closeFor(socket: WebSocket, error: GatewayError): void {
    const { status } = error.entry;
    if (status >= 500) log.error({ error }, error.message);
    if (status === 401) socket.close(CloseCode.Unauthorized, error.message);
    else if (status === 403) socket.close(CloseCode.Forbidden, error.message);
    else socket.close(TRY_AGAIN_LATER, error.message);
  }

  function open(socket: WebSocket, request: IncomingMessage): void {
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) => send(socket, data),
        // A reason may repeat what the client sent: if it is too long, only the code is sent.
        close: (code, reason = '') =>
          socket.close(code, Buffer.byteLength(reason) > MAX_REASON_BYTES ? '' : reason),
        onMessage: (take) =>
          socket.on('message', (data) => {
            take(String(data)).catch((error: unknown) => {
              log.error({ error }, 'A message over WebSocket failed outside its error handling.');
              socket.close(CloseCode.InternalServerError);
            });
          }),
      },
      { socket, request, session: null },
    );
    // What breaks the protocol or the connection closes it, with its reason as the code.
    socket.on('error', (error) => log.debug({ error }, 'A WebSocket failed.'));
    socket.once('close', (code, reason) => void closed(code, String(reason)));
    keepAlive(socket);
  }

  return {
    handleUpgrade(request, socket, head) {
      if (stopping || server.clients.size >= SOCKETS) return refuseUpgrade(socket, '503 Service Unavailable');
      server.handleUpgrade(request, socket, head, (accepted) => open(accepted, request));
    },
    async stop() {
      stopping = true;
      const clients = [...server.clients];
      const closed = clients.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of clients) socket.close(GOING_AWAY, 'The server is stopping.');
      const cut = setTimeout(() => {
        for (const socket of clients) socket.terminate();
      }, CLOSE_TIMEOUT);
      await Promise.all(closed);
      clearTimeout(cut);
    },
  };
}

/** Headers that came in the first message: a browser cannot set them on a WebSocket. */
function headersIn(params: Params = {}): Record<string, string> {
  const members = Object.entries(params).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(
    members.filter(
      (member): member is [string, string] =>
        typeof member[1] === 'string' && /^(authorization$|x-)/.test(member[0]),
    ),
  );
}

/** Resolves when the message went out, which holds a subscription back while its client does not read. */
const send = (socket: WebSocket, data: string): Promise<void> =>
  new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      socket.terminate();
      return resolve();
    }
    // A failed send is a closed connection, which is told by its own event.
    socket.send(data, () => resolve());
  });

function keepAlive(socket: WebSocket): void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_INTERVAL).unref();
  socket.once('close', () => clearInterval(timer));
}

/** Answers a connection that wanted to change its protocol with a status, and closes it. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.once('finish', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
