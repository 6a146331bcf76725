import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Nothing went over a connection for too long. */
class SilenceError extends Error {
  readonly code = 'ERR_PROVIDER_SILENT';
  constructor(limit: number) {
    super(`The provider was silent for ${limit / 1000} s.`);
  }
}

/**
 * Connections that end when nothing has gone over them for `limit` milliseconds, unless it is we who do not read. One timer for
 * each connection: undici's own take a new one for each request and keep it for half a second, so that thousands of them wait
 * to be collected.
 */
export function endingInSilence(connect: buildConnector.connector, limit: number): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...connected) => {
      if (connected[1]) watch(connected[1], limit);
      callback(...connected);
    });
}

function watch(socket: Socket, limit: number): void {
  socket.setTimeout(limit, () => {
    if (socket.readableLength > 0) socket.setTimeout(limit);
    else socket.destroy(new SilenceError(limit));
  });
}
