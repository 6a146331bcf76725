import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Box } from '../../src/boxes/box.ts';
import { type Boxes, createBoxes } from '../../src/boxes/index.ts';
import { createStart } from '../../src/boxes/python/start.ts';
import { findBoxRuntime } from '../../src/boxes/runtime.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { eventually } from '../support/eventually.ts';
import { boxesDirectory } from './directory.ts';

const MEGABYTE = 1024 * 1024;
const interpreter = `${dirname(createRequire(import.meta.url).resolve('pyodide'))}/`;
const isAlive = (pid: number) => existsSync(`/proc/${pid}`);
let boxes: Boxes;

let snapshot: string;

beforeAll(async () => {
  boxes = createBoxes(boxesDirectory);
  const python = await createStart(boxes, boxesDirectory, createLogger('silent'))();
  await python.close();
  snapshot = readdirSync(boxesDirectory).find((name) => name.endsWith('.snapshot')) ?? '';
}, 120_000);

afterAll(() => boxes.stop());

async function python(memoryMegabytes = 512): Promise<Box> {
  const path = join(boxesDirectory, snapshot);
  const memoryBytes = memoryMegabytes * MEGABYTE;
  const box = await boxes.open({ program: 'python', readable: [interpreter, path], memoryBytes });
  await box.ask({ head: { type: 'start', interpreter, snapshot: path }, timeMs: 60_000 });
  return box;
}

const run = (box: Box, code: string, timeMs = 60_000) =>
  box.ask({ head: { type: 'run', code, logBytes: 1000 }, timeMs });

jest.setTimeout(120_000);

describe('a box ends', () => {
  it('that holds more memory than it may', async () => {
    const box = await python(400);
    await expect(
      run(box, 'held = []\nwhile True: held.append(bytes(b"x") * 1_000_000)'),
    ).rejects.toMatchObject({
      end: 'memory',
    });
    expect(isAlive(box.pid)).toBe(false);
  });

  it('that does not answer in its time', async () => {
    const box = await python();
    await expect(run(box, 'while True: pass', 500)).rejects.toMatchObject({ end: 'time' });
    expect(isAlive(box.pid)).toBe(false);
    await expect(run(box, '1')).rejects.toMatchObject({ end: 'time' });
  });

  it('that works on when nothing is asked of it', async () => {
    const box = await python();
    const busy = 'new Worker(URL.createObjectURL(new Blob(["for (;;);"])), { type: "module" })';
    await run(box, `from pyodide.code import run_js\nrun_js('${busy}')\nNone`);
    expect(await box.ended).toBe('processor');
  });

  it('whose owner is killed while it computes', async () => {
    const owner = spawn(
      process.execPath,
      [join(import.meta.dirname, 'owner.mjs'), boxesDirectory, snapshot],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let pid = 0;
    for await (const line of createInterface(owner.stdout)) {
      pid = Number(line);
      break;
    }
    expect(isAlive(pid)).toBe(true);
    owner.kill('SIGKILL');
    await eventually(async () => expect(isAlive(pid)).toBe(false), 60_000);
  });
});

describe('where there is no Deno', () => {
  it.each(['darwin-arm64', 'win32-x64', 'linux-s390x'])('on %s a sentence says so', (platform) => {
    expect(findBoxRuntime(platform)).toEqual({ unavailable: expect.stringContaining(platform) });
  });
});
