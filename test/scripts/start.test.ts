import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');

describe('scripts/start.mjs', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-start-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const start = (env: Record<string, string>, ...flags: string[]): ChildProcess =>
    spawn(process.execPath, [join(root, 'scripts/start.mjs'), ...flags], {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        DATA_DIR: join(directory, 'data'),
        LOG_LEVEL: 'error',
        PORT: '0',
        ...env,
      },
    });

  it('becomes Sluice, with flags and variables that bound its memory, and ends on SIGTERM with 0', async () => {
    const child = start({ MALLOC_ARENA_MAX: '3', MALLOC_TRIM_THRESHOLD_: '' }, '--stack-trace-limit=11');
    const [greeting] = await once(child.stdout ?? child, 'data');
    expect(String(greeting)).toContain('Sluice is ready at ');
    const [command, ...flags] = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')
      .split('\0')
      .filter(Boolean);
    expect(command).toBe(process.execPath);
    expect(flags).toEqual([
      '--stack-trace-limit=11',
      '--max-semi-space-size=16',
      '--heap-growing-percent=20',
      '--no-allocation-site-pretenuring',
      '--no-concurrent-array-buffer-sweeping',
      'src/main.ts',
    ]);
    const variables = readFileSync(`/proc/${child.pid}/environ`, 'utf8').split('\0');
    expect(variables).toEqual(
      expect.arrayContaining([
        'MALLOC_ARENA_MAX=3',
        'MALLOC_MMAP_THRESHOLD_=131072',
        'MALLOC_TRIM_THRESHOLD_=131072',
        'NODE_COMPILE_CACHE=node_modules/.cache/sluice',
      ]),
    );
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('ends as Sluice ends when it cannot start', async () => {
    expect(await once(start({ PORT: 'http' }), 'exit')).toEqual([1, null]);
  });
});

describe.each([
  ['that can replace itself', []],
  ['that cannot', ['--import', 'data:text/javascript,delete process.execve']],
])('scripts/run.mjs on a Node.js %s', (_which, flags: string[]) => {
  const run = (program: string) => [...flags, join(root, 'scripts/run.mjs'), '-e', program];

  test('ends with the exit code of the program', () => {
    const { status, stdout } = spawnSync(process.execPath, run('console.log("done"); process.exit(3)'), {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([3, 'done\n']);
  });

  test('hands SIGTERM on to it', async () => {
    const program =
      'process.on("SIGTERM", () => process.exit(7)); console.log("up"); setInterval(() => {}, 1000)';
    const child = spawn(process.execPath, run(program), { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  test('ends by the signal that ends it', async () => {
    const child = spawn(process.execPath, run('console.log("up"); setInterval(() => {}, 1000)'), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
  });
});
