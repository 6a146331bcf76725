import { connect, createServer, type Socket } from 'node:net';
import { MongoClient } from 'mongodb';

/** A way to a database that a test can cut. */
export type Line = {
  /** Connection string that leads over the line. */
  uri: string;
  cut(): void;
  mend(): void;
  stop(): void;
};

/** `uri`: of a database on one host. */
export async function startLine(uri: string): Promise<Line> {
  const [host] = new MongoClient(uri).options.hosts;
  const target = host?.socketPath
    ? { path: host.socketPath }
    : { host: host?.host ?? '', port: host?.port ?? 0 };
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const beyond = connect(target);
    for (const [one, other] of [
      [socket, beyond],
      [beyond, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    uri: uri.replace(/\/\/[^/?]+/, `//127.0.0.1:${port}`),
    cut,
    mend() {
      isCut = false;
    },
    stop() {
      cut();
      server.close();
    },
  };
}
