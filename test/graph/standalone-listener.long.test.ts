import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { failToStart, startProcess } from '../support/process.ts';

const secret = 'a-router-secret-of-thirty-two-characters';
const withSecret = { 'x-gateway-router-secret': secret };

async function ask(origin: string | null, headers = {}, name = 'identity') {
  const response = await fetch(`${origin}/subgraphs/${name}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"query":"{ _service { sdl } }"}',
  });
  return { status: response.status, body: (await response.json()) as { data?: { _service: object } } };
}

const served = { status: 200, body: { data: { _service: { sdl: expect.stringContaining('@key') } } } };
const unknownPath = { status: 404, body: { message: 'Not Found', ok: false } };

it('serves no subgraph alone unless a setting says so', async () => {
  const app = await startApp();
  expect(app.routersUrl).toBeNull();
  expect(await ask(app.url)).toEqual(unknownPath);
  expect(await ask(app.url, withSecret)).toEqual(unknownPath);
  await app.stop();
});

it('serves them on a port of their own to whoever reaches it', async () => {
  const app = await startApp({ SUBGRAPH_PORT: '0' });
  expect(await ask(app.routersUrl)).toEqual(served);
  expect(await ask(app.routersUrl, { 'x-gateway-api-key': 'sl-invalid' })).toMatchObject({ status: 401 });
  expect(await ask(app.url)).toEqual(unknownPath);
  for (const path of ['/graphql', '/v1/configs', '/healthz', '/metrics', '/']) {
    const response = await fetch(app.routersUrl + path, { headers: { 'x-gateway-api-key': app.adminKey } });
    expect([path, response.status]).toEqual([path, 404]);
  }
  await app.stop();
});

it('asks for the secret there too, when there is one, and takes it under an alias', async () => {
  const app = await startApp({
    SUBGRAPH_PORT: '0',
    SUBGRAPH_SECRET: secret,
    SUBGRAPHS: 'identity,routing',
    HEADER_PREFIX_ALIASES: 'x-acme-',
  });
  expect(await ask(app.routersUrl)).toMatchObject({ status: 401 });
  expect(await ask(app.routersUrl, withSecret)).toEqual(served);
  expect(await ask(app.routersUrl, { 'x-acme-router-secret': secret })).toEqual(served);
  expect(await ask(app.routersUrl, withSecret, 'catalog')).toMatchObject({ status: 404 });
  expect(await ask(app.url, withSecret)).toEqual(unknownPath);
  await app.stop();
});

it('says where they are, and stops while a router keeps its connection', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-standalone-'));
  const sluice = await startProcess(directory, { SUBGRAPH_PORT: '0', SUBGRAPH_HOST: '127.0.0.1' });
  const [, origin = ''] = /^ {2}Subgraphs +(\S+)\/subgraphs\/<name>\/graphql/m.exec(sluice.output()) ?? [];
  expect(await ask(origin)).toEqual(served);
  expect(await sluice.kill('SIGTERM')).toBe(0);
  await rm(directory, { recursive: true, force: true });
});

async function refusalOf(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-standalone-'));
  const refusal = await failToStart(directory, env);
  await rm(directory, { recursive: true, force: true });
  return refusal;
}

it('says which port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  expect(await refusalOf({ SUBGRAPH_PORT: String(port) })).toEqual({
    code: 1,
    output: expect.stringMatching(/SUBGRAPH_PORT: listen EADDRINUSE/),
  });
  other.close();
});

it('does not start with a secret that is too short, or a port that is none', async () => {
  expect(await refusalOf({ SUBGRAPH_PORT: 'http', SUBGRAPH_SECRET: 'short' })).toEqual({
    code: 1,
    output: expect.stringMatching(/SUBGRAPH_SECRET: must be 32 to 512[\s\S]*SUBGRAPH_PORT: must be a whole/),
  });
});
