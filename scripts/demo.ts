// `npm run demo -- <logs>`: a Sluice of its own in data/demo with a tenant that looks alive, and a caller every second or so.
// Prints a link that signs in its owner, and runs until it is interrupted. What it made stays for the next time.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { owner } from '../seeds/demo/people.ts';
import { seedDemo } from '../seeds/demo.ts';

const root = join(import.meta.dirname, '..');
const dataDirectory = join(root, 'data', 'demo');
const PORT = process.env.PORT ?? '8788';
const url = `http://localhost:${PORT}`;
const LOGS = Number(process.argv[2] ?? 5000);
const DAYS = 30;
const START_MS = 60_000;

const models = [
  'mock-1',
  'mock-1',
  'mock-1',
  'mock-slow-50',
  'mock-delay-800',
  'mock-error-429',
  'mock-error-503',
];
const questions = ['Is anybody there?', 'Sum up this page in one line.', 'Which of the two is cheaper?'];

const pick = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T;

function run(script: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDirectory, PORT, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function untilReady(service: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    if (service.exitCode !== null) throw new Error(`The service ended with ${service.exitCode}.`);
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(100);
  }
  throw new Error(`The service was not ready within ${START_MS / 1000} seconds.`);
}

async function link(): Promise<string> {
  const made = run('scripts/console-link.ts', '--user', owner.email);
  let text = '';
  for await (const chunk of made.stdout ?? []) text += chunk;
  return text.trim();
}

/** Calls the mock now and then, so that what follows live has something to show. */
async function callOn(signal: AbortSignal): Promise<void> {
  const { workspace_api_key: key } = JSON.parse(
    await readFile(join(dataDirectory, 'bootstrap.json'), 'utf8'),
  );
  while (!signal.aborted) {
    const body = {
      model: `@mock/${pick(models)}`,
      messages: [{ role: 'user', content: pick(questions) }],
      stream: Math.random() < 0.5,
    };
    const headers = { 'content-type': 'application/json', 'x-gateway-api-key': key };
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    }).catch(() => null);
    await answer?.text().catch(() => null);
    await sleep(300 + Math.random() * 1500, undefined, { signal }).catch(() => undefined);
  }
}

await mkdir(dataDirectory, { recursive: true });
const service = run('src/main.ts');
service.stdout?.resume();
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    ending.abort();
    service.kill('SIGTERM');
  });
try {
  await untilReady(service);
  await seedDemo({ url, dataDirectory, logs: LOGS, days: DAYS });
  console.log(
    `The demo runs at ${url} until it is interrupted. Open this link once, within 15 minutes:\n${await link()}`,
  );
  await callOn(ending.signal);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
  service.kill('SIGTERM');
}
