import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isLong } from '../support/long.ts';
import { blocksOf, pages, root } from './pages.ts';

// Every command of the page starts a process or two on a machine that may be busy.
const COMMAND_LIMIT_MS = 240_000;

const page = pages.find(({ path }) => path === 'docs/contributing/first-change.md') ?? { path: '', text: '' };
// The commands take a minute: `npm test` looks whether the changes still fit their files, `npm run test:long` runs them as well.
const blocks = blocksOf(page).filter(({ info }) => info !== '' && (isLong || info !== 'sh'));

/** A copy of the repository with links to its packages. */
let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'sluice-first-change-'));
  const left = new Set(['.git', 'node_modules', 'data']);
  for (const name of readdirSync(root)) {
    if (!left.has(name)) cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  // A lock file that looks new would make the scripts install the packages anew, and an installation begins by removing
  // what is there: it must find links to remove, never the packages themselves.
  utimesSync(join(copy, 'package-lock.json'), 0, 0);
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  }
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Applies a block such as ` context`, `-gone`, `+new`: its context must stand in the file exactly once. */
function patch(file: string, block: string): void {
  const lines = block.trimEnd().split('\n');
  const side = (other: string) =>
    lines
      .filter((line) => !line.startsWith(other))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const parts = readFileSync(file, 'utf8').split(side('+'));
  expect({ file, places: parts.length - 1 }).toEqual({ file, places: 1 });
  writeFileSync(file, parts.join(side('-')));
}

function run(command: string): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', command], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
  });
  // What the command said explains a failure.
  expect(status === 0 ? '' : `${command}${stdout}${stderr}`).toBe('');
}

it.each(blocks.map(({ info, text }) => ({ info, text })))(
  '$info',
  ({ info, text }) => {
    const [kind, path = ''] = info.split(' ');
    const file = join(copy, path);
    if (kind === 'sh') run(text);
    else if (kind === 'diff') patch(file, text);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  },
  COMMAND_LIMIT_MS,
);
