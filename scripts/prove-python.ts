// Assistants by the Python SDK in its majors 1, 2 and 3, against a real gateway with the mock model: prints a matrix of checks and
// versions. pip brings the versions that `prove-python/openai-*.txt` name; without Python, or where pip cannot bring them, nothing is
// proven, which is an error with REQUIRE_PYTHON=1.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSluice } from '../bench/processes.ts';

const PORT = 18_947;
const MAJORS = [1, 2, 3];
const here = join(import.meta.dirname, 'prove-python');
const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-python-'));

/** What became of a check, as `checks.py` prints it; `error`: null where it passed. */
type Checked = { version: string; check: string; error: string | null };

/** Runs a program of Python; what it prints, or null where it did not end well. */
function run(args: string[], env: Record<string, string> = {}): string | null {
  const { status, stdout } = spawnSync('python3', args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', env.SLUICE_URL ? 'inherit' : 'ignore'],
    encoding: 'utf8',
  });
  return status === 0 ? stdout : null;
}

const install = (major: number): boolean =>
  run([
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--root-user-action=ignore'],
    ...[
      '--retries',
      '1',
      '--timeout',
      '20',
      '--only-binary',
      ':all:',
      '--target',
      join(directory, `${major}`),
    ],
    ...['--requirement', join(here, `openai-${major}.txt`)],
  ]) !== null;

function missing(): string | null {
  if (run(['--version']) === null) return 'There is no python3 here';
  const major = MAJORS.find((each) => !install(each));
  return major === undefined ? null : `pip cannot bring openai ${major}`;
}

async function prove(): Promise<boolean> {
  const sluice = await startSluice(PORT);
  const env = { SLUICE_URL: `http://127.0.0.1:${PORT}`, SLUICE_API_KEY: sluice.workspaceKey };
  try {
    const printed = MAJORS.map((major) =>
      run([join(here, 'checks.py')], { ...env, PYTHONPATH: join(directory, `${major}`) }),
    );
    const checked = printed.map((lines) =>
      (lines ?? '').split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Checked))),
    );
    console.log(matrixOf(checked));
    const failed = checked.flat().filter(({ error }) => error !== null);
    for (const { version, check, error } of failed) console.error(`${version}, ${check}: ${error}`);
    return failed.length === 0 && printed.every((lines) => lines !== null);
  } finally {
    await sluice.stop();
  }
}

/** A table with a row for each check and a column for each version. */
function matrixOf(majors: Checked[][]): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const names = [...new Set(majors.flat().map(({ check }) => check))];
  const resultOf = (name: string, checked: Checked[]): string => {
    const found = checked.find(({ check }) => check === name);
    if (!found) return '-';
    return found.error === null ? 'yes' : 'NO';
  };
  return [
    row(['check', ...majors.map(([first], at) => `openai ${first?.version ?? MAJORS[at]}`)]),
    row(['---', ...majors.map(() => '---')]),
    ...names.map((name) => row([name, ...majors.map((checked) => resultOf(name, checked))])),
  ].join('\n');
}

try {
  const why = missing();
  if (why !== null) console.log(`${why}: nothing was proven.`);
  const isRight = why === null ? await prove() : !process.env.REQUIRE_PYTHON;
  process.exitCode = isRight ? 0 : 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
