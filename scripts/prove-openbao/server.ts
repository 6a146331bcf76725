import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The members of answers that this proof reads. */
export type Body = { data?: Record<string, string>; auth?: { client_token: string } };

export type OpenBao = {
  address: string;
  /** A call of its API as its operator; answers the body, empty where there is none. Throws for a refusal. */
  call(method: string, path: string, body?: object, namespace?: string): Promise<Body>;
  stop(): Promise<void>;
};

const ROOT_TOKEN = 'root-of-the-proof';
/** Milliseconds in which it must be ready. */
const PATIENCE_MS = 30_000;

/** A port that nobody listens at. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** OpenBao, or Vault, in memory. `program`: its executable. */
export async function startOpenBao(program: string): Promise<OpenBao> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const args = [
    'server',
    '-dev',
    '-dev-no-store-token',
    `-dev-root-token-id=${ROOT_TOKEN}`,
    `-dev-listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn(program, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const call: OpenBao['call'] = async (method, path, body, namespace) => {
    const response = await fetch(`${address}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': ROOT_TOKEN, ...(namespace && { 'x-vault-namespace': namespace }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Body);
  };
  const deadline = Date.now() + PATIENCE_MS;
  // The engine of version 2 at `secret/` is mounted last.
  while (
    !(await call('GET', 'sys/mounts').then(
      (mounts) => 'secret/' in mounts,
      () => false,
    ))
  ) {
    if (Date.now() > deadline || child.exitCode !== null) {
      child.kill('SIGKILL');
      throw new Error(`${program} did not start.`);
    }
    await sleep(100);
  }
  return {
    address,
    call,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
