import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../lib/logger.ts';
import { BoxFault, BoxLost, MOST_BODY_BYTES, type OpenBox } from '../exchange.ts';
import { type BoxFrame, createFrameReader, type FrameHead, frameStart } from '../programs/frames.ts';
import type { Interpreters } from '../python/interpreters.ts';
import { LOST, PATH, UPGRADE } from './protocol.ts';

/** The most milliseconds of one question. */
const MOST_MS = 120_000;

type Options = {
  interpreters: Pick<Interpreters, 'take'>;
  /** Whoever sends it may run code. */
  token: string;
  /** Connections at a time, each with a box of its own. */
  places: number;
  log: Logger;
};

export type BoxServer = {
  server: Server;
  /** Ends all connections, and with them their boxes. */
  stop(): Promise<void>;
};

/**
 * Answers connections with boxes: each has one to itself, asks it one question at a time, and ends it by ending itself. It
 * answers `/healthz` besides, for whatever divides connections among several servers.
 */
export function createBoxServer({ interpreters, token, places, log }: Options): BoxServer {
  const open = new Set<Duplex>();
  const server = createServer((request, response) => {
    const isHealth = request.url === '/healthz';
    response.writeHead(isHealth ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isHealth ? { status: 'ok', open: open.size, places } : { message: 'Not Found' }),
    );
  });

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, first: Buffer) => {
    // What goes wrong with a connection ends it.
    socket.on('error', () => {});
    socket.once('end', () => socket.destroy());
    const refusal = refusalOf(request, token) ?? (open.size >= places ? 503 : null);
    if (refusal !== null) return refuse(socket, refusal);
    open.add(socket);
    const gone = new AbortController();
    socket.once('close', () => {
      open.delete(socket);
      gone.abort();
    });
    serve(interpreters, socket, first, gone.signal).catch((error: unknown) => {
      if (!gone.signal.aborted) log.warn({ error }, 'A connection to a box has ended.');
      socket.destroy();
    });
  });
  return {
    server,
    stop() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      for (const socket of open) socket.destroy();
      return promise;
    },
  };
}

function refusalOf({ url, headers }: IncomingMessage, token: string): number | null {
  if (url !== PATH || headers.upgrade?.toLowerCase() !== UPGRADE) return 404;
  return isSame(headers.authorization ?? '', `Bearer ${token}`) ? null : 401;
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

async function serve(
  interpreters: Pick<Interpreters, 'take'>,
  socket: Duplex,
  first: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const interpreter = await interpreters.take(signal);
  const { box } = interpreter;
  signal.addEventListener('abort', () => void interpreter.close());
  if (signal.aborted) return void (await interpreter.close());
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${UPGRADE}\r\n\r\n`);
  box.ended.then((end) => socket.end(frameStart({ type: LOST, end }, 0)));
  let isBusy = false;
  const read = createFrameReader(MOST_BODY_BYTES, (question) => {
    if (isBusy) return void socket.destroy();
    isBusy = true;
    relay(box, question, socket)
      .then(() => {
        isBusy = false;
      })
      .catch((error: unknown) => socket.destroy(error as Error));
  });
  const take = (chunk: Buffer): void => {
    try {
      read(chunk);
    } catch (error) {
      socket.destroy(error as Error);
    }
  };
  socket.on('data', take);
  if (first.length > 0) take(first);
}

/** Asks the box what came, and sends what it says. Where the box is lost, its end is told by whoever waits for that. */
async function relay(box: OpenBox, { head, body }: BoxFrame, socket: Duplex): Promise<void> {
  const asked = head.head as FrameHead;
  const timeMs = Math.min(Number(head.timeMs) || 0, MOST_MS);
  const send = (frame: BoxFrame) => {
    socket.write(frameStart(frame.head, frame.body.length));
    socket.write(frame.body);
  };
  try {
    const content = { bytes: body.length, read: () => once(body) };
    send(await box.ask({ head: asked, body: content, timeMs, onPart: send }));
  } catch (error) {
    if (error instanceof BoxFault)
      send({ head: { type: 'answer', fault: error.message }, body: new Uint8Array() });
    else if (!(error instanceof BoxLost)) throw error;
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
