import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve as resolvePath } from 'node:path';
import { Worker } from 'node:worker_threads';
import { threadLimits } from '../../lib/threads/thread-limits.ts';
import { findSocket } from './ownership.ts';
import { defaultOptions, type StoreOptions } from './store/options.ts';

export type EmbeddedServer = { uri: string; stop(): Promise<void> };

export type EmbeddedOptions = Partial<StoreOptions> & {
  directory: string;
  databaseName?: string;
  /** Hears of a worker that died by itself; without it such an error is thrown in the parent. */
  onError?: (error: Error) => void;
};

/** Milliseconds after which a server that was asked to stop is ended. */
const longestStop = 15_000;

/** Starts the server in a worker thread on a unix socket inside `directory`; resolves when it accepts connections. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { directory, databaseName = 'sluice', onError, ...given } = options;
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    name: 'embedded-store',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // Most of a batch dies young here.
    resourceLimits: threadLimits({ maxYoungGenerationSizeMb: 24 }),
    workerData: { directory: resolvePath(directory), options: { ...defaultOptions, ...given } },
  });
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  // `once` rejects when the worker fails before its first message, for instance because the directory is in use. Only
  // when it has ended has it let go of the files.
  const [{ socketPath }] = (await once(worker, 'message').catch(async (error: unknown) => {
    await exited;
    throw error;
  })) as [{ socketPath: string }];
  worker.on('error', (error: Error) => {
    if (!onError) throw error;
    onError(error);
  });
  // A program that forgets to stop the server can still end.
  worker.unref();
  return {
    uri: uriOf(socketPath, databaseName),
    async stop() {
      worker.ref();
      worker.postMessage('stop');
      // Whatever it cannot leave off; what was acknowledged is on disk.
      const impatience = setTimeout(() => worker.terminate(), longestStop);
      await exited;
      clearTimeout(impatience);
    },
  };
}

const uriOf = (socket: string, databaseName: string): string =>
  `mongodb://${encodeURIComponent(socket)}/${databaseName}?directConnection=true`;

/** The URI of the server that another process runs on `directory`; null when none does. */
export async function findEmbedded(directory: string, databaseName = 'sluice'): Promise<string | null> {
  const socket = findSocket(resolvePath(directory));
  return socket !== null && (await isListening(socket)) ? uriOf(socket, databaseName) : null;
}

/** False for a socket that a process left behind when it was killed. */
async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
