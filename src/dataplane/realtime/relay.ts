import type { RawData, WebSocket } from 'ws';

/** Bytes of one message; 15 MiB of audio, which providers take at once, are 20 as base64. */
export const MAX_MESSAGE_BYTES = 24 * 1024 * 1024;
/** Bytes that may wait for one side before the other is not read any more. */
const HIGH_WATER = 1024 * 1024;
/** Milliseconds between pings; a side that has not answered one by the next is gone. */
const PING_INTERVAL = 15_000;
/** Milliseconds for a side to answer that its connection closes. */
const CLOSE_TIMEOUT = 1000;

/** Close codes of RFC 6455, section 7.4.1. */
const NO_STATUS = 1005;
const INTERNAL_ERROR = 1011;
/** Codes that a close frame may carry. */
const isSendable = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, NO_STATUS, 1006].includes(code)) || (code >= 3000 && code <= 4999);

/** How a session ended: who closed first, and with what code, 1006 for a connection that broke. */
export type Ending = { by: 'caller' | 'provider' | 'gateway'; code: number };

export type Relayed = {
  ended: Promise<Ending>;
  /** Closes both sides. */
  end(code: number, reason: string): void;
};

/**
 * Both sides come paused. Sends what either side says to the other, untouched and no faster than that reads, until one closes; then closes the
 * other with the same code. `observe` sees the provider's messages.
 */
export function relay(caller: WebSocket, provider: WebSocket, observe: (data: RawData) => void): Relayed {
  let ending: Ending | null = null;
  pipe(caller, provider, () => undefined);
  pipe(provider, caller, observe);
  for (const socket of [caller, provider]) {
    // What broke shows in the code of its close event.
    socket.on('error', () => undefined);
    keepAlive(socket);
  }
  caller.once('close', (code, reason) => {
    ending ??= { by: 'caller', code };
    if (isSendable(code)) closeWith(provider, code, reason);
    else closeWith(provider);
  });
  provider.once('close', (code, reason) => {
    ending ??= { by: 'provider', code };
    if (code === NO_STATUS) closeWith(caller);
    else if (isSendable(code)) closeWith(caller, code, reason);
    else closeWith(caller, INTERNAL_ERROR, 'The connection to the provider was lost.');
  });
  const closed = [caller, provider].map(
    (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
  );
  caller.resume();
  provider.resume();
  return {
    ended: Promise.all(closed).then(() => ending ?? { by: 'gateway', code: NO_STATUS }),
    end(code, reason) {
      ending ??= { by: 'gateway', code };
      closeWith(caller, code, reason);
      closeWith(provider, code, reason);
    },
  };
}

function pipe(from: WebSocket, to: WebSocket, observe: (data: RawData) => void): void {
  const sent = () => {
    if (from.isPaused && to.bufferedAmount < HIGH_WATER) from.resume();
  };
  from.on('message', (data, binary) => {
    if (to.readyState !== to.OPEN) return;
    to.send(data, { binary }, sent);
    if (to.bufferedAmount >= HIGH_WATER) from.pause();
    observe(data);
  });
}

/** A side that is not read cannot say that it closes. */
function closeWith(socket: WebSocket, code?: number, reason?: string | Buffer): void {
  if (socket.readyState === socket.CLOSED) return;
  socket.resume();
  socket.close(code, reason);
  const cut = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT);
  socket.once('close', () => clearTimeout(cut));
}

function keepAlive(socket: WebSocket): void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    // One that is not read shows no pong.
    if (!isAlive && !socket.isPaused) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_INTERVAL).unref();
  socket.once('close', () => clearInterval(timer));
}
