import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bootstrap } from '../../../seeds/bootstrap.ts';

const root = join(import.meta.dirname, '../../..');

export type OwnService = {
  url: string;
  seeds: Bootstrap;
  /** Ends it with a signal; resolves once it has. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
};

/**
 * A service that no other test sees, for what all others would notice; at port 0 it chooses one. With the address of a store it
 * is one more process over that.
 */
export async function startOwn(dataDirectory: string, port: number, store?: string): Promise<OwnService> {
  const service = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts'], {
    cwd: root,
    env: {
      ...process.env,
      ...{ HOST: '127.0.0.1', PORT: `${port}`, DATA_DIR: dataDirectory, LOG_LEVEL: 'error' },
      ...(store !== undefined && { MONGODB_URI: store }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyAt(service);
  const seeds = JSON.parse(await readFile(join(dataDirectory, 'bootstrap.json'), 'utf8')) as Bootstrap;
  return {
    url,
    seeds,
    async end(signal) {
      const ended = new Promise((resolve) => service.once('exit', resolve));
      service.kill(signal);
      await ended;
    },
  };
}

function readyAt(service: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    service.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)));
    service.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const [, url] = /Sluice is ready at (\S+) /.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}
