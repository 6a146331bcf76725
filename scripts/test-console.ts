// `npm run test:console -- <arguments of Jest>`: builds the console, starts a service on seeded data and drives a browser over
// its pages. Skips with one line where there is no Chromium; with REQUIRE_BROWSER=1 that is a failure. CHROMIUM names another.
// CONSOLE_PREFIX=/team/ai has all of it happen below that path, behind a proxy that takes it away.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { seedDemo } from '../seeds/demo.ts';
import { openPrefix } from './test-console/prefix.ts';

const root = join(import.meta.dirname, '..');
const names = ['chromium', 'chromium-browser', 'google-chrome'];
const LOGS = 4000;
const DAYS = 40;
const START_MS = 240_000;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findBrowser(): string | undefined {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** The service, once it says where it listens. */
async function start(
  dataDirectory: string,
  publicUrl: string | null,
): Promise<{ service: ChildProcess; url: string }> {
  const service = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts'], {
    cwd: root,
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDirectory,
      LOG_LEVEL: 'error',
      ...(publicUrl !== null && { PUBLIC_URL: publicUrl }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The service was not ready in time:\n${output}`)),
      START_MS,
    );
    service.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)));
    service.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const ready = /Sluice is ready at (\S+) /.exec(output)?.[1];
      if (ready === undefined) return;
      clearTimeout(timer);
      resolve(ready);
    });
  });
  return { service, url };
}

const stopped = (service: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (service.exitCode !== null) return resolve();
    service.once('exit', () => resolve());
    service.kill('SIGTERM');
  });

async function test(browser: string): Promise<number> {
  const built = spawnSync(process.execPath, ['scripts/build-console.mjs'], { cwd: root, stdio: 'inherit' });
  if (built.status !== 0) return 1;
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sluice-test-console-'));
  const prefix = process.env.CONSOLE_PREFIX ? await openPrefix(process.env.CONSOLE_PREFIX) : null;
  const { service, url } = await start(dataDirectory, prefix?.url ?? null);
  prefix?.leadTo(url);
  try {
    await seedDemo({ url, dataDirectory, logs: LOGS, days: DAYS });
    const jest = [
      '--no-memory-protection-keys',
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
    ];
    const own = ['--config', 'test/console-browser/jest.config.mjs', ...process.argv.slice(2)];
    const tests = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...jest, ...own], {
      cwd: root,
      env: {
        ...process.env,
        CHROMIUM: browser,
        CONSOLE_URL: prefix?.url ?? url,
        CONSOLE_DATA: dataDirectory,
      },
      stdio: 'inherit',
    });
    return await new Promise<number>((resolve) => tests.once('exit', (code) => resolve(code ?? 1)));
  } finally {
    prefix?.close();
    await stopped(service);
    await rm(dataDirectory, { recursive: true, force: true, maxRetries: 3 });
  }
}

const browser = findBrowser();
if (browser !== undefined) process.exitCode = await test(browser);
else {
  console.error(
    'There is no Chromium here, so the console was not tested: install one, or name it in CHROMIUM.',
  );
  process.exitCode = process.env.REQUIRE_BROWSER === '1' ? 1 : 0;
}
