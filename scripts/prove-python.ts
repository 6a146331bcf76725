// Assistants by the Python SDK in its majors 1, 2 and 3, against a real gateway with the mock model. pip brings the versions that
// `prove-python/openai-*.txt` name; without Python, or where pip cannot bring them, nothing is proven, which is an error with
// REQUIRE_PYTHON=1.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSluice } from '../bench/processes.ts';

const PORT = 18_947;
const MAJORS = [1, 2, 3];
const here = join(import.meta.dirname, 'prove-python');
const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-python-'));

/** Whether the program ended well; what it prints is seen where `isShown`. */
const run = (args: string[], env: Record<string, string> = {}, isShown = false): boolean =>
  spawnSync('python3', args, { env: { ...process.env, ...env }, stdio: isShown ? 'inherit' : 'ignore' })
    .status === 0;

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
  ]);

function missing(): string | null {
  if (!run(['--version'])) return 'There is no python3 here';
  const major = MAJORS.find((each) => !install(each));
  return major === undefined ? null : `pip cannot bring openai ${major}`;
}

async function prove(): Promise<boolean> {
  const sluice = await startSluice(PORT);
  const env = { SLUICE_URL: `http://127.0.0.1:${PORT}`, SLUICE_API_KEY: sluice.workspaceKey };
  try {
    const passed = MAJORS.map((major) =>
      run([join(here, 'checks.py')], { ...env, PYTHONPATH: join(directory, `${major}`) }, true),
    );
    return passed.every(Boolean);
  } finally {
    await sluice.stop();
  }
}

try {
  const why = missing();
  if (why !== null) console.log(`${why}: nothing was proven.`);
  const isRight = why === null ? await prove() : !process.env.REQUIRE_PYTHON;
  process.exitCode = isRight ? 0 : 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
