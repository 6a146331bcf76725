import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { serveThrough } from '../../scripts/prove-mcp/serve.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';
import { installPythonSdk, pythonVersions, runPython } from '../support/python-sdk.ts';
import { blocksOf, root } from './pages.ts';

jest.setTimeout(300_000);

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

it('programs for both lines of the SDK are shown', () => {
  expect(programs.map(({ info }) => info)).toEqual(pythonVersions.map((version) => `python ${version}`));
});

describe('check 1: the SDK of Python', () => {
  it.each(programs.map(({ info, text: program }) => [info.split(' ')[1] ?? '', program]))(
    'in version %s runs the program of the documentation',
    async (version, program) => {
      const target = await installPythonSdk(directory, version);
      if (target === null) return;
      const own = program.replace('http://127.0.0.1:8787', sluice.url);
      expect(await runPython(own, { target, cwd: directory })).toBe('hello\n');
    },
  );
});
