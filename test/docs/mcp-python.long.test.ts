import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { serveThrough } from '../../scripts/prove-mcp/serve.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';
import { blocksOf, root } from './pages.ts';

jest.setTimeout(300_000);

const run = promisify(execFile);
const text = readFileSync(join(root, 'docs/mcp-clients.md'), 'utf8');
const programs = blocksOf({ path: 'docs/mcp-clients.md', text }).filter(({ info }) =>
  info.startsWith('python '),
);

let directory: string;
let sluice: SluiceProcess;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-docs-python-'));
  sluice = await startProcess(join(directory, 'data'));
  const seeds = JSON.parse(readFileSync(join(directory, 'data/bootstrap.json'), 'utf8'));
  await serveThrough(sluice.url, seeds, 'first-tools', 'mock://server');
});
afterAll(async () => {
  await sluice.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

/** Where the SDK of Python in a version lies; null where pip cannot bring it, so that the program cannot be run here. */
async function installed(version: string): Promise<string | null> {
  const target = join(directory, version);
  const given = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--root-user-action=ignore',
  ];
  const few = ['--retries', '1', '--timeout', '20', '--target', target, `mcp==${version}`];
  try {
    await run('python3', [...given, ...few]);
    return target;
  } catch (error) {
    process.stdout.write(`mcp ${version} of Python is not tried: ${String(error).slice(0, 200)}\n`);
    return null;
  }
}

it('programs for both lines of the SDK are shown', () => {
  expect(programs.map(({ info }) => info)).toEqual(['python 1.30.0', 'python 2.3.0']);
});

describe('check 1: the SDK of Python', () => {
  it.each(programs.map(({ info, text: program }) => [info.split(' ')[1] ?? '', program]))(
    'in version %s runs the program of the documentation',
    async (version, program) => {
      const target = await installed(version);
      if (target === null) return;
      const { stdout } = await run('python3', ['-c', program.replace('http://127.0.0.1:8787', sluice.url)], {
        cwd: directory,
        env: { PATH: process.env.PATH, PYTHONPATH: target },
      });
      expect(stdout).toBe('hello\n');
    },
  );
});
