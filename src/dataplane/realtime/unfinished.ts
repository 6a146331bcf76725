import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** One end of a session: the WebSocket, and the connection that it runs over. */
export type Side = { socket: WebSocket; connection: Duplex };

/** Milliseconds from the first bytes of a message to its last; 24 MiB in that time are 3.4 Mbit/s. */
const PATIENCE = 60_000;
/** Bytes that each piece of a message takes in memory beside its own. */
const PIECE_OVERHEAD = 256;
/** Bytes of the header of a ping or pong; what comes from a caller has a mask. */
const CONTROL_HEADER = { caller: 6, provider: 2 };

/** What has come of a message that is not here whole. */
export type Unfinished = {
  /** Bytes in memory. */
  bytes(): number;
  /** Whether the side takes too long over a message. `now`: milliseconds, as at the other looks, which come regularly. */
  isOverdue(now: number): boolean;
};

/**
 * Follows the bytes that a WebSocket keeps until a message is whole, which it does not tell itself. `changed` is called after
 * each piece. The socket is paused when this begins.
 */
export function followUnfinished(
  { socket, connection }: Side,
  from: keyof typeof CONTROL_HEADER,
  changed: () => void,
): Unfinished {
  let bytes = 0;
  let pieces = 0;
  let messages = 0;
  let seen = { messages: -1, at: 0 };
  const forget = () => {
    bytes = 0;
    pieces = 0;
  };
  // Counted before the WebSocket reads it, so that a message which ends with it is over in what follows.
  connection.prependListener('data', (chunk: Buffer) => {
    bytes += chunk.length;
    pieces++;
  });
  connection.on('data', changed);
  socket.on('message', () => {
    messages++;
    forget();
  });
  for (const event of ['ping', 'pong'] as const) {
    socket.on(event, (data: Buffer) => {
      bytes -= data.length + CONTROL_HEADER[from];
      if (bytes <= 0) forget();
    });
  }
  return {
    bytes: () => bytes + pieces * PIECE_OVERHEAD,
    isOverdue(now) {
      // One that is not read cannot come to the end of its message.
      if (bytes === 0 || socket.isPaused || seen.messages !== messages) seen = { messages, at: now };
      return now - seen.at > PATIENCE;
    },
  };
}
