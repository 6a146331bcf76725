import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type SluiceProcess = {
  /** `http://127.0.0.1:<port>` as the process printed it. */
  url: string;
  pid: number;
  /** Everything printed so far on standard output and standard error. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Ids of the processes that it has started itself. */
  children(): Promise<number[]>;
};

const root = join(import.meta.dirname, '../..');

const environment = (dataDirectory: string, env: Record<string, string>) => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  HOST: '127.0.0.1',
  PORT: '0',
  DATA_DIR: dataDirectory,
  LOG_LEVEL: 'error',
  DRAIN_DELAY_MS: '0',
  ...env,
});

function launch(
  dataDirectory: string,
  env: Record<string, string>,
  command: readonly string[] = [],
): { child: ChildProcess; output: () => string } {
  const [program = '', ...args] = [...command, process.execPath, 'src/main.ts'];
  const child = spawn(program, args, { cwd: root, env: environment(dataDirectory, env) });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  }
  return { child, output: () => output };
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    else child.once('exit', (code) => resolve(code));
  });

/** Sluice in a process of its own, started as `npm start` starts it. Resolves when it says that it is ready. */
export async function startProcess(
  dataDirectory: string,
  env: Record<string, string> = {},
): Promise<SluiceProcess> {
  const { child, output } = launch(dataDirectory, env);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const ready = /Sluice is ready at (\S+) [\s\S]*\n\n$/.exec(output());
      if (ready?.[1]) resolve(ready[1]);
    });
    child.once('exit', (code) => reject(new Error(`Sluice ended with ${code}:\n${output()}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    output,
    async kill(signal) {
      child.kill(signal);
      return exitOf(child);
    },
    async children() {
      const listed = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
      return listed.trim().split(' ').filter(Boolean).map(Number);
    },
  };
}

/** Root may write what is closed to everybody; a start that is to fail on that must not. */
const withoutPrivileges =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

/** A start that is expected to fail: its exit code and what it said. */
export async function failToStart(
  dataDirectory: string,
  env: Record<string, string> = {},
): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch(dataDirectory, env, withoutPrivileges);
  return { code: await exitOf(child), output: output() };
}
