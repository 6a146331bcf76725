import type { RawData, WebSocket } from 'ws';
import type { MessageGate, SideMessage } from './guard/gate.ts';
import type { Budget, Owner } from './memory-budget.ts';
import { followUnfinished, type Side } from './unfinished.ts';

/** Bytes of one message; 15 MiB of audio, which providers take at once, are 20 as base64. Each frame of it is an object. */
export const MESSAGE_LIMITS = {
  maxPayload: 24 * 1024 * 1024,
  maxFragments: 4096,
  maxBufferedChunks: 64 * 1024,
};
/** Bytes that may wait for one side before the other is not read any more. */
const HIGH_WATER = 1024 * 1024;
/** What RFC 6455 leaves for the reason beside the code. */
const MAX_REASON = 123;
/** Milliseconds between pings; a side that has not answered one by the next is gone. */
const PING_INTERVAL = 15_000;
/** Milliseconds for a side to answer that its connection closes. */
const CLOSE_TIMEOUT = 1000;

/** Close codes of RFC 6455, section 7.4.1. */
export const GOING_AWAY = 1001;
const NO_STATUS = 1005;
const ABNORMAL = 1006;
const MESSAGE_TOO_BIG = 1009;
const INTERNAL_ERROR = 1011;
/** Codes that a close frame may carry. */
const isSendable = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, NO_STATUS, ABNORMAL].includes(code)) ||
  (code >= 3000 && code <= 4999);

/**
 * How a session ended: who closed first, and with what code, 1006 for a connection that broke. `reason`: what was wrong; null
 * for an end that somebody wanted.
 */
export type SessionEnding = { by: 'caller' | 'provider' | 'gateway'; code: number; reason: string | null };

export type Relayed = {
  ended: Promise<SessionEnding>;
  /** Whether either side takes too long over a message. */
  isOverdue(now: number): boolean;
  /** Closes both sides. */
  end(code: number, reason: string): void;
};

export type RelayOptions = {
  /** Sees the provider's messages. */
  observe: (data: RawData) => void;
  budget: Budget;
  /** Whose session this is. */
  owner: Owner;
  /** Where the messages of each side wait until the other may have them. */
  gates: { caller: MessageGate; provider: MessageGate };
};

/**
 * Both sides come paused. Sends what either side says to the other, untouched and no faster than that reads, until one closes;
 * then closes the other with the same code. Ends the session where the budget has no room for what it holds.
 */
export function relay(
  callers: Side,
  providers: Side,
  { observe, budget, owner, gates }: RelayOptions,
): Relayed {
  const [caller, provider] = [callers.socket, providers.socket];
  let ending: SessionEnding | null = null;
  const share = budget.enter(owner, (atOnce) => {
    end(MESSAGE_TOO_BIG, 'Too many bytes of messages are on their way.');
    for (const socket of [caller, provider]) {
      if (atOnce) socket.terminate();
      else socket.pause();
    }
  });
  const weigh = () =>
    share.set(
      unfinished[0].bytes() +
        unfinished[1].bytes() +
        gates.caller.bytes +
        gates.provider.bytes +
        caller.bufferedAmount +
        provider.bufferedAmount,
    );
  const unfinished = [
    followUnfinished(callers, 'caller', weigh),
    followUnfinished(providers, 'provider', weigh),
  ] as const;
  const fail = (error: unknown) =>
    end(INTERNAL_ERROR, error instanceof Error ? error.message.slice(0, MAX_REASON) : '');
  pipe(caller, provider, { observe: () => undefined, weigh, gate: gates.caller, fail });
  pipe(provider, caller, { observe, weigh, gate: gates.provider, fail });
  for (const [by, socket] of [
    ['caller', caller],
    ['provider', provider],
  ] as const) {
    // A connection that broke shows in the code of its close event; what the other side did wrong does not.
    socket.on('error', (error: Error & { code?: string }) => {
      if (error.code?.startsWith('WS_ERR_')) ending ??= { by, code: ABNORMAL, reason: error.message };
    });
    keepAlive(socket);
  }
  caller.once('close', (code, reason) => {
    ending ??= { by: 'caller', code, reason: null };
    gates.caller.finish().then(() => {
      if (isSendable(code)) closeWith(provider, code, reason);
      else closeWith(provider);
    });
  });
  provider.once('close', (code, reason) => {
    ending ??= { by: 'provider', code, reason: code === ABNORMAL ? 'it closed without a word' : null };
    gates.provider.finish().then(() => {
      if (code === NO_STATUS) closeWith(caller);
      else if (isSendable(code)) closeWith(caller, code, reason);
      else closeWith(caller, INTERNAL_ERROR, 'The connection to the provider was lost.');
    });
  });
  const closed = [caller, provider].map(
    (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
  );
  function end(code: number, reason: string): void {
    ending ??= { by: 'gateway', code, reason: code === GOING_AWAY ? null : reason };
    closeWith(caller, code, reason);
    closeWith(provider, code, reason);
  }
  caller.resume();
  provider.resume();
  return {
    ended: Promise.all(closed).then(() => {
      share.leave();
      return ending ?? { by: 'gateway', code: NO_STATUS, reason: null };
    }),
    isOverdue: (now) => unfinished.map((side) => side.isOverdue(now)).includes(true),
    end,
  };
}

type Flow = {
  observe: (data: RawData) => void;
  weigh: () => void;
  gate: MessageGate;
  fail: (error: unknown) => void;
};

function pipe(from: WebSocket, to: WebSocket, { observe, weigh, gate, fail }: Flow): void {
  const isFull = () => to.bufferedAmount + gate.unread >= HIGH_WATER;
  const sent = () => {
    weigh();
    if (from.isPaused && from.readyState === from.OPEN && !isFull()) from.resume();
  };
  const pass = ({ data, isBinary }: SideMessage) => {
    if (to.readyState === to.OPEN) to.send(data, { binary: isBinary }, sent);
  };
  gate.lead({ pass, changed: sent, fail });
  from.on('message', (data, isBinary) => {
    if (to.readyState !== to.OPEN) return;
    gate.add({ data: data as Buffer, isBinary });
    if (isFull()) from.pause();
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
