// Puts one program in the place of another, so that whoever waits for this process sees the signals and the end of that one.
import { spawn } from 'node:child_process';

/**
 * Runs `program` with `args` in place of this process: under the same process id, or, where Node.js cannot do that (before
 * 23.11, and on Windows), as a child that gets this process's signals and whose exit code or signal ends this process.
 */
export function replaceProcess(program, args, env = process.env) {
  if (typeof process.execve === 'function' && process.platform !== 'win32') {
    process.execve(program, [program, ...args], env);
  }
  const child = spawn(program, args, { stdio: 'inherit', env });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
