import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type Server = {
  port: number;
  pid: number;
  key: string;
  clientId: string;
  stop(): Promise<void>;
};

/** Sluice of a checkout, with the flags and the environment of `npm start`: they decide how much memory comes back. */
export async function startServer(checkout: string, directory: string): Promise<Server> {
  const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const child = spawn('sh', ['-c', scripts.start], {
    cwd: checkout,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
      DATA_DIR: directory,
      PORT: '0',
      LOG_LEVEL: 'error',
    },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk;
        const ready = /Sluice is ready at http:\/\/127\.0\.0\.1:(\d+)/.exec(output);
        if (ready) resolve(Number(ready[1]));
      });
    child.once('exit', (code) => reject(new Error(`Sluice ended with ${code}:\n${output}`)));
  });
  const bootstrap = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8'));
  return {
    port,
    pid: child.pid ?? 0,
    key: bootstrap.workspace_api_key,
    clientId: bootstrap.client_id,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Megabytes of memory that a process has from the kernel. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}
