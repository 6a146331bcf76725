import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Lines of the SDK of Python that are tried. */
export const pythonVersions = ['1.30.0', '2.3.0'] as const;

/** Where the SDK of Python in a version lies; null where pip cannot bring it, so that no program can be run with it here. */
export async function installPythonSdk(directory: string, version: string): Promise<string | null> {
  const target = join(directory, version);
  const quiet = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore'];
  const few = ['--retries', '1', '--timeout', '20', '--target', target, `mcp==${version}`];
  try {
    await run('python3', ['-m', 'pip', 'install', ...quiet, ...few]);
    return target;
  } catch (error) {
    process.stdout.write(`mcp ${version} of Python is not tried: ${String(error).slice(0, 200)}\n`);
    return null;
  }
}

/** Runs a program with the SDK that lies in `target`; answers what it prints. */
export async function runPython(
  program: string,
  { target, cwd, env = {} }: { target: string; cwd: string; env?: Record<string, string> },
): Promise<string> {
  const { stdout } = await run('python3', ['-c', program], {
    ...{ cwd, timeout: 120_000 },
    env: { PATH: process.env.PATH, PYTHONPATH: target, ...env },
  });
  return stdout;
}
