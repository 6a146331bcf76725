import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from './remote-process.ts';

const root = join(import.meta.dirname, '../..');
const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';

export type McpProgram = { url: string; port: number; stop(): Promise<void> };

/** Starts a program that says when it listens. */
async function start(
  script: string,
  args: string[],
  port: number,
): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [join(root, script), ...args], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let said = '';
  const hear = (chunk: Buffer) => {
    said += chunk;
    const [, listening] = /(?:listening on port|running on port) (\d+)/.exec(said) ?? [];
    if (listening) resolve(Number(listening));
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${said}`)));
  return { child, port: await promise };
}

async function program(
  script: string,
  args: string[],
  given: { port: number; path: string },
): Promise<McpProgram> {
  const { child, port } = await start(script, args, given.port);
  return {
    url: `http://127.0.0.1:${port}${given.path}`,
    port,
    async stop() {
      const ended = child.exitCode === null ? once(child, 'exit') : null;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The reference server, of the era with sessions. */
export const startEverything = async (port?: number): Promise<McpProgram> =>
  program(everything, ['streamableHttp'], { port: port ?? (await freePort()), path: '/mcp' });

/** A server of the official SDK's second line, in the era without a handshake. */
export const startModernServer = (): Promise<McpProgram> =>
  program('test/support/mcp-modern-server.mjs', [], { port: 0, path: '/mcp' });
