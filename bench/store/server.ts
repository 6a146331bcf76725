import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The server's process. */
export type ServerProcess = {
  uri: string;
  pid: number;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
};

/** Starts a script of this folder and waits for the first thing that it has to say. */
export async function startScript(
  file: string,
  args: string[],
): Promise<{ child: ChildProcess; message: unknown }> {
  const child = fork(join(import.meta.dirname, file), args, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const message = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}.`)));
  });
  return { child, message };
}

/** Starts the store on a directory; resolves when it accepts connections. */
export async function startServer(directory: string): Promise<ServerProcess> {
  const { child, message } = await startScript('serve.ts', [directory]);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return {
    uri: String(message),
    pid: child.pid ?? 0,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
