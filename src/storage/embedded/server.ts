import { chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { runCommand } from './commands/index.ts';
import { ClientConnection } from './connection.ts';
import type { Store } from './store/store.ts';

/** Listens on a unix socket and serves every connection from one store. */
export class SocketServer {
  readonly #server: Server;
  readonly #connections = new Set<ClientConnection>();

  constructor(store: Store) {
    this.#server = createServer({ noDelay: true }, (socket) => {
      const connection = new ClientConnection(socket, (message, client) =>
        runCommand(store, message, client),
      );
      this.#connections.add(connection);
      socket.on('close', () => this.#connections.delete(connection));
    });
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(path, () => {
        chmodSync(path, 0o600);
        resolve();
      });
    });
  }

  /** Takes no more connections, lets running commands answer for a moment, then hangs up. */
  async close(patience = 2000): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    const deadline = Date.now() + patience;
    while (Date.now() < deadline && [...this.#connections].some((connection) => !connection.idle)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    for (const connection of this.#connections) connection.close();
    await closed;
  }
}
