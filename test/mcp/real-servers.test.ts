import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { bodyOf } from '../rest-compat/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/remote-process.ts';

// Processes of other people's programs, on a machine that may be busy.
jest.setTimeout(120_000);

let app: TestApp;
const processes: ChildProcess[] = [];
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  for (const child of processes) {
    const ended = child.exitCode === null ? once(child, 'exit') : null;
    child.kill('SIGKILL');
    await ended;
  }
  await app.stop();
});

const root = join(import.meta.dirname, '../..');
const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';

/** Starts a program that says when it listens, and answers the port. */
async function start(script: string, args: string[], port: number): Promise<number> {
  const child = spawn(process.execPath, [join(root, script), ...args], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processes.push(child);
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
  return promise;
}

const call = async (method: string, path: string, body?: unknown) =>
  bodyOf(await app.rest(method, `/v1/mcp-integrations${path}`, { key: app.adminKey, body }));

/** Tries a server, waits until it was read, and answers what it says of itself and the names of what it offers. */
async function known(url: string, transport: 'http' | 'sse') {
  const { id } = await call('POST', '', { name: 'Real', url, auth_type: 'none', transport });
  const tried = await call('POST', `/${id}/test`);
  const metadata = await eventually(async () => {
    const found = await call('GET', `/${id}/metadata`);
    expect(found).toMatchObject({ sync_status: 'success' });
    return found;
  });
  const { data } = await call('GET', `/${id}/capabilities?page_size=500`);
  return { tried, metadata, names: (data as any[]).map(({ type, name }) => `${type} ${name}`) };
}

it("reads a server of the official SDK's second line, in the modern era", async () => {
  const port = await start('test/support/mcp-modern-server.mjs', [], 0);
  const { tried, metadata, names } = await known(`http://127.0.0.1:${port}/mcp`, 'http');
  expect(tried).toMatchObject({ success: true, server_name: 'sdk-server', error: null });
  expect(metadata).toMatchObject({ protocol_version: '2026-07-28', server_version: '2.4.0' });
  expect(names.sort()).toEqual(['resource note', 'tool echo']);
});

it.each([
  ['streamableHttp', 'http', '/mcp'],
  ['sse', 'sse', '/sse'],
] as const)('reads the reference server over %s', async (mode, transport, path) => {
  const port = await start(everything, [mode], await freePort());
  const { tried, metadata, names } = await known(`http://127.0.0.1:${port}${path}`, transport);
  expect(tried).toMatchObject({ success: true, server_name: 'mcp-servers/everything', error: null });
  expect(metadata).toMatchObject({ protocol_version: '2025-11-25' });
  expect(names).toEqual(expect.arrayContaining(['tool echo', 'tool get-sum', 'prompt simple-prompt']));
});
