import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import type { Box } from '../box.ts';
import type { Boxes } from '../boxes.ts';
import { BoxLost } from '../exchange.ts';
import { exists } from '../exists.ts';
import { preparation } from '../programs/python/run-cell.ts';
import { Interpreter } from './interpreter.ts';

const MEMORY_BYTES = 512 * 1024 * 1024;
/** Milliseconds that a start may take: without a snapshot, on a busy machine, it is slow. */
const START_MS = 60_000;
/** Milliseconds after which a snapshot is tried again that could not be made, as on a machine that was busy. */
const RETRY_MS = 600_000;
const interpreter = `${dirname(createRequire(import.meta.url).resolve('pyodide'))}/`;

export type StartInterpreter = (signal?: AbortSignal) => Promise<Interpreter>;

/**
 * Starts interpreters from a snapshot of one's memory, which is made at the first start and kept in `directory`; where that
 * fails they start slowly.
 */
export function createStart(boxes: Boxes, directory: string, log: Logger): StartInterpreter {
  let snapshot: Promise<string | null> | null = null;

  async function openBox(readable: string[], signal?: AbortSignal): Promise<Box> {
    return boxes.open(
      { program: 'python', readable: [interpreter, ...readable], memoryBytes: MEMORY_BYTES },
      signal,
    );
  }

  async function start(path: string | null, signal?: AbortSignal): Promise<Interpreter> {
    const box = await openBox(path === null ? [] : [path], signal);
    await box.ask({ head: { type: 'start', interpreter, snapshot: path }, timeMs: START_MS, signal });
    return new Interpreter(box);
  }

  async function makeSnapshot(): Promise<string | null> {
    const path = join(directory, `python-${await version()}.snapshot`);
    if (await exists(path)) return path;
    const box = await openBox([]);
    try {
      const { body } = await box.ask({ head: { type: 'snapshot', interpreter }, timeMs: START_MS });
      await keep(directory, path, body);
      return path;
    } finally {
      await box.kill('stopped');
    }
  }

  return async (signal) => {
    snapshot ??= makeSnapshot().catch((error) => {
      log.warn({ error }, 'Python could not be prepared for a quick start; it is tried again.');
      setTimeout(() => {
        snapshot = null;
      }, RETRY_MS).unref();
      return null;
    });
    const path = await snapshot;
    try {
      return await start(path, signal);
    } catch (error) {
      if (path === null || !(error instanceof BoxLost)) throw error;
      log.warn({ error }, 'Python does not start from its snapshot, and starts slowly from now on.');
      snapshot = Promise.resolve(null);
      return start(null, signal);
    }
  };
}

/** Stores a snapshot whole or not at all, in place of those of other versions. */
async function keep(directory: string, path: string, snapshot: Uint8Array): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const others = (await readdir(directory)).filter((name) => /^python-.*\.snapshot$/.test(name));
  await Promise.all(others.map((name) => rm(join(directory, name), { force: true })));
  const part = `${path}.${process.pid}.part`;
  await writeFile(part, snapshot, { mode: 0o600 });
  await rename(part, path);
}

/** Of the interpreter's own files and of what is run in it: a snapshot fits to no other ones. */
async function version(): Promise<string> {
  const hash = createHash('sha256').update(preparation);
  for (const name of ['pyodide.asm.wasm', 'pyodide.asm.mjs', 'python_stdlib.zip']) {
    hash.update(await readFile(join(interpreter, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
