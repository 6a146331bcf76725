import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../src/http/server.ts';

export type Router = { url: string; stop(): void };

const manifest = {
  private: true,
  dependencies: { '@graphql-hive/gateway': '2.15.1' },
  // Some of its parts ask for versions that not every registry has.
  overrides: {
    '@graphql-tools/delegate': '12.2.1',
    '@theguild/federation-composition': '0.27.0',
    graphql: '16.15.0',
  },
};

// What a caller sends along is forwarded; what the router proves itself with is its own.
const configuration = `export const gatewayConfig = {
  propagateHeaders: {
    fromClientToSubgraphs: ({ request }) => ({
      'x-gateway-api-key': request.headers.get('x-gateway-api-key'),
      'x-gateway-router-secret': process.env.ROUTER_SECRET,
    }),
  },
};
`;

/** Hive Gateway from npm over a supergraph, installed beside the project on first use. */
export async function startHiveGateway(supergraphSdl: string, secret: string): Promise<Router> {
  const folder = join(tmpdir(), 'sluice-router-hive-2.15.1');
  await install(folder);
  await writeFile(join(folder, 'supergraph.graphql'), supergraphSdl);
  await writeFile(join(folder, 'gateway.config.mjs'), configuration);
  const port = await freePort();
  const script = join(folder, 'node_modules/.bin/hive-gateway');
  const options = ['--host', '127.0.0.1', '--port', String(port), '--config-path', 'gateway.config.mjs'];
  const child = spawn(process.execPath, [script, 'supergraph', 'supergraph.graphql', ...options], {
    cwd: folder,
    env: { PATH: process.env.PATH, ROUTER_SECRET: secret },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // It does not end on SIGTERM.
  const stop = () => void child.kill('SIGKILL');
  process.once('exit', stop);
  const url = `http://127.0.0.1:${port}/graphql`;
  await untilReady(url, child);
  return { url, stop };
}

async function install(folder: string): Promise<void> {
  if (existsSync(join(folder, 'installed'))) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('Hive Gateway could not be installed from npm.');
  await writeFile(join(folder, 'installed'), '');
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, '127.0.0.1', 0);
  server.close();
  return port;
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  };
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`Hive Gateway ended with ${child.exitCode}.`);
    try {
      if ((await fetch(url, request)).ok) return;
    } catch (error) {
      // Not listening yet.
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(100);
  }
  throw new Error('Hive Gateway did not answer within a minute.');
}
