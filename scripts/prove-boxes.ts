// Attacks boxes for as long as their own bounds allow, and shows that each attack ends by a bound and leaves no process: memory
// taken in several ways, a cell that never ends, output that never ends, work behind a cell, and owners that are killed while
// their box computes. Prints how long boxes take to start, and first cells; with `--starts` that alone.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BoxLost,
  createBoxes,
  createInterpreters,
  createStart,
  type Interpreter,
} from '../src/boxes/index.ts';
import { useOf } from '../src/boxes/watch.ts';
import { createLogger } from '../src/lib/logger.ts';

const MEGABYTE = 1024 * 1024;
/** What a box may hold, and what it may take between two looks at it. */
const MOST_MEGABYTES = 512 + 256;
const OWNERS = 10;
const STARTS = 8;
/** Milliseconds that a start, and the first cell where an interpreter is kept ready, may take in the middle of all tries. */
const MOST_START_MS = 1500;
const MOST_CELL_MS = 50;
/** Milliseconds after which the next interpreter is ready, on a busy machine too. */
const READY_MS = 4000;
const inJs = (script: string) => `from pyodide.code import run_js\nrun_js(${JSON.stringify(script)})\nNone`;

const attacks: [name: string, end: string, code: string][] = [
  ['a list that grows', 'memory', 'held = []\nwhile True: held.append(bytes(1_000_000) + b"x")'],
  ['one value that doubles', 'memory', 'held = b"x"\nwhile True: held += held'],
  [
    'buffers of JavaScript',
    'memory',
    inJs('const held = []; for (;;) held.push(new Uint8Array(4e6).fill(1))'),
  ],
  [
    'objects of JavaScript',
    'memory',
    inJs('let held = null; for (;;) held = { held, text: new Array(100).fill(1) }'),
  ],
  [
    'files in memory',
    'memory',
    'at = 0\nwhile True:\n    open(f"/mnt/data/{at}", "wb").write(b"x" * 10_000_000); at += 1',
  ],
  [
    'workers',
    'memory',
    inJs(
      'for (let at = 0; at < 200; at++) new Worker(URL.createObjectURL(new Blob(["for (;;);"])), { type: "module" })',
    ),
  ],
  ['a loop without end', 'time', 'while True: pass'],
  ['output without end', 'time', 'while True: print("x" * 1000)'],
];

const never = new AbortController().signal;
const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-boxes-'));
const boxes = createBoxes(directory);
const log = createLogger('warn');
const start = createStart(boxes, directory, log);
const interpreters = createInterpreters({ start, keepsWarm: false, log });
const failures: string[] = [];

/** How a cell ends, and the most memory that its box was seen to hold. */
async function ended(python: Interpreter, code: string): Promise<{ end: string; megabytes: number }> {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, useOf(python.pid)?.memoryBytes ?? 0);
  }, 10);
  try {
    await python.run(code, () => {}, never);
    return { end: await python.ended, megabytes: most / MEGABYTE };
  } catch (error) {
    if (error instanceof BoxLost) return { end: error.end, megabytes: most / MEGABYTE };
    throw error;
  } finally {
    clearInterval(timer);
  }
}

async function attack(name: string, expected: string, code: string): Promise<void> {
  const python = await interpreters.take(never);
  const before = performance.now();
  const { end, megabytes } = await ended(python, code);
  const seconds = ((performance.now() - before) / 1000).toFixed(1);
  console.log(`${name}: ended by ${end} after ${seconds} s, ${Math.round(megabytes)} MB at most`);
  if (end !== expected || megabytes > MOST_MEGABYTES) failures.push(name);
  if (existsSync(`/proc/${python.pid}`)) failures.push(`${name}: process ${python.pid} is left`);
}

/** Kills the owner of a box that computes; true where the box goes with it within a minute. */
async function killOwner(snapshot: string): Promise<boolean> {
  const program = join(import.meta.dirname, '../test/boxes/owner.mjs');
  const owner = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, directory, snapshot],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface(owner.stdout)) {
    owner.kill('SIGKILL');
    for (let tries = 0; tries < 600 && existsSync(`/proc/${line}`); tries++) await sleep(100);
    return !existsSync(`/proc/${line}`);
  }
  return false;
}

const middle = (sorted: number[]): number => sorted[sorted.length >> 1] ?? 0;

async function starts(): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < STARTS; count++) {
    const before = performance.now();
    const python = await interpreters.take(never);
    times.push(Math.round(performance.now() - before));
    await python.close();
  }
  return times.sort((one, other) => one - other);
}

async function attackAll(): Promise<void> {
  for (const given of attacks) await attack(...given);
  const snapshot = (await readdir(directory)).find((name) => name.endsWith('.snapshot')) ?? '';
  let gone = 0;
  for (let count = 0; count < OWNERS; count++) gone += Number(await killOwner(snapshot));
  console.log(`${gone} of ${OWNERS} boxes ended with their killed owners`);
  if (gone < OWNERS) failures.push('killed owners');
}

/** Milliseconds from asking for an interpreter that is kept ready to the end of its first cell. */
async function warmCells(): Promise<number[]> {
  const warm = createInterpreters({ start, keepsWarm: true, log });
  await (await warm.take(never)).close();
  const times: number[] = [];
  for (let count = 0; count < STARTS; count++) {
    await sleep(READY_MS);
    const before = performance.now();
    const python = await warm.take(never);
    await python.run('print(6 * 7)', () => {}, never);
    times.push(Math.round(performance.now() - before));
    await python.close();
  }
  await warm.stop();
  return times.sort((one, other) => one - other);
}

try {
  await (await interpreters.take(never)).close();
  const [started, cells] = [await starts(), await warmCells()];
  console.log(`Python starts in ${started.join(', ')} ms`);
  console.log(`where one is kept ready, its first cell ends after ${cells.join(', ')} ms`);
  if (middle(started) > MOST_START_MS) failures.push(`a start within ${MOST_START_MS} ms`);
  if (middle(cells) > MOST_CELL_MS) failures.push(`a first cell within ${MOST_CELL_MS} ms`);
  if (!process.argv.includes('--starts')) await attackAll();
} finally {
  await interpreters.stop();
  await boxes.stop();
  await rm(directory, { recursive: true });
}
if (failures.length > 0) {
  console.error(`Not held: ${failures.join('; ')}`);
  process.exitCode = 1;
}
