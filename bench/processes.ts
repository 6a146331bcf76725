import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type Running = { port: number; stop(): Promise<void>; pid: number };

const here = import.meta.dirname;

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended(child);
  clearTimeout(timer);
}

/** One of the helper servers of this folder, in a process of its own. */
export async function startHelper(file: string, port: number, ...args: number[]): Promise<Running> {
  const child = fork(join(here, file), [port, ...args].map(String));
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}.`)));
  });
  return { port, pid: child.pid ?? 0, stop: () => stop(child) };
}

export type RunningSluice = Running & {
  workspaceKey: string;
  adminKey: string;
  /** The first tenant, and its service account. */
  tsgId: string;
  clientId: string;
  clientSecret: string;
};

/**
 * Sluice as `npm start` starts it: its own process, embedded store, authentication and request log on. Waits for its greeting.
 * `flags`: further ones of Node; `env`: further settings.
 */
export async function startSluice(
  port: number,
  { flags = [], env = {} }: { flags?: string[]; env?: Record<string, string> } = {},
): Promise<RunningSluice> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const root = join(here, '..');
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs'), ...flags], {
    cwd: root,
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: directory,
      LOG_LEVEL: 'warn',
      NODE_ENV: '',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`Sluice ended with ${code}.`)));
  });
  const keys = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8')) as {
    workspace_api_key: string;
    admin_api_key: string;
    tsg_id: string;
    client_id: string;
    client_secret: string;
  };
  return {
    port,
    pid: child.pid ?? 0,
    workspaceKey: keys.workspace_api_key,
    adminKey: keys.admin_api_key,
    tsgId: keys.tsg_id,
    clientId: keys.client_id,
    clientSecret: keys.client_secret,
    async stop() {
      await stop(child);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const PORTKEY = '@portkey-ai/gateway@1.15.2';

/** A Node.js of the machine itself: what programs run on that bring none. Null where it is the one that runs this. */
export function machineNode(): { path: string; version: string } | null {
  const ours = /node_modules[/\\](\.bin|.*node-gyp-bin)/;
  const PATH = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !ours.test(folder) && folder !== dirname(process.execPath))
    .join(delimiter);
  const { stdout, status } = spawnSync('node', ['-p', 'process.execPath + "\\n" + process.version'], {
    env: { ...process.env, PATH },
    encoding: 'utf8',
  });
  const [path = '', version = ''] = (stdout ?? '').split('\n');
  return status !== 0 || version === process.version ? null : { path, version };
}

/**
 * The Portkey gateway from npm on the given Node.js, installed beside the benchmark on first use; null when it cannot be
 * had.
 */
export async function startPortkey(port: number, node = process.execPath): Promise<Running | null> {
  const folder = join(tmpdir(), 'sluice-bench-peers');
  const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(script)) {
    const install = spawnSync(
      'npm',
      ['install', '--prefix', folder, '--ignore-scripts', '--no-save', PORTKEY],
      { stdio: 'ignore' },
    );
    if (install.status !== 0) return null;
  }
  const child = spawn(node, [script, '--headless', `--port=${port}`], {
    cwd: folder,
    stdio: 'ignore',
  });
  await waitFor(`http://127.0.0.1:${port}/`, child);
  return { port, pid: child.pid ?? 0, stop: () => stop(child) };
}

async function waitFor(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (child.exitCode !== null) throw new Error(`The process behind ${url} ended with ${child.exitCode}.`);
    try {
      if ((await fetch(url)).ok) return;
    } catch (error) {
      // Not listening yet.
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(40);
  }
  throw new Error(`${url} did not answer.`);
}
