import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { settingNames } from '../src/settings.ts';
import { type SluiceProcess, startProcess } from './support/process.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

let readme: string;
let manifest: { scripts: Record<string, string>; dependencies: Record<string, string> };
let directory: string;
let sluice: SluiceProcess;

beforeAll(async () => {
  readme = await readFile(join(root, 'README.md'), 'utf8');
  manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  directory = await mkdtemp(join(tmpdir(), 'sluice-readme-'));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  sluice = await startProcess(join(directory, 'data'));
});
afterAll(async () => {
  await sluice.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) =>
    (text ?? '').replaceAll('http://127.0.0.1:8787', sluice.url),
  );

const shell = (script: string) => run('sh', ['-e', '-c', script], { cwd: directory });

describe('the README', () => {
  it('shows shell commands that do what it says', async () => {
    const [first = '', net = '', graph = '', tail = '', ...rest] = blocks('sh');
    expect(rest).toEqual([]);
    const streamed = await shell(first);
    expect(streamed.stdout).toMatch(/"content":"Hello"[\s\S]*data: \[DONE\]/);
    const answered = await shell(net);
    expect(answered.stdout).toMatch(/HTTP\/1.1 200 OK[\s\S]*config\.targets\[1\][\s\S]*Is anybody there\?/);
    const asked = JSON.parse((await shell(graph)).stdout);
    expect(asked.data.logs.data).toEqual([
      {
        responseStatusCode: 200,
        lastUsedOptionJsonPath: 'config.targets[1]',
        provider: { slug: 'mock' },
        config: { name: 'Main with a safety net', workspace: { name: 'Default workspace' } },
      },
      {
        responseStatusCode: 503,
        lastUsedOptionJsonPath: 'config.targets[0]',
        provider: { slug: 'main' },
        config: { name: 'Main with a safety net', workspace: { name: 'Default workspace' } },
      },
    ]);
    const seen = (await shell(tail)).stdout;
    expect(seen).toContain(
      'event: next\ndata: {"data":{"logAdded":{"endpoint":"chatComplete","aiModel":"mock-1","responseStatusCode":200,"totalTokens":2}}}\n',
    );
  });

  it('shows a program that prints what it says', async () => {
    const [program = ''] = blocks('js');
    await writeFile(join(directory, 'program.mjs'), program);
    const { stdout } = await run(process.execPath, ['--preserve-symlinks-main', 'program.mjs'], {
      cwd: directory,
    });
    expect(stdout).toBe('Hello from an SDK');
  });

  it('lists every setting, and no other', () => {
    const table = readme.slice(readme.indexOf('## Settings'), readme.indexOf('## Running it'));
    const listed = [...table.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual(settingNames.toSorted());
  });

  it('names every library with the version that is installed', () => {
    const table = readme.slice(readme.indexOf('## Libraries'));
    const listed = Object.fromEntries(
      [...table.matchAll(/^\| `([^`]+)` \| ([\d.]+) \|/gm)].map(([, name, version]) => [name, version]),
    );
    expect(listed).toEqual(manifest.dependencies);
  });

  it('names only scripts that exist', () => {
    const named = [...readme.matchAll(/`(?:[A-Z_]+=\S+ )?npm (?:run )?([\w:]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });
});
