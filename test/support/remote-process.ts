import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';

export type RemoteProcess = { kill(): Promise<void> };

/** A port that was free a moment ago, for a process that must come back at the same place. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return address.port;
}

/** The remote subgraph of `remote-subgraph.ts` in a process of its own, answering when this resolves. */
export async function startRemote(port: number, version = '1'): Promise<RemoteProcess> {
  const program = join(import.meta.dirname, 'remote-subgraph.ts');
  const child = spawn(process.execPath, [program, String(port), version], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The remote subgraph ended with ${code}: ${errors}`);
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended.catch(() => undefined);
    },
  };
}
