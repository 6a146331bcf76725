import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { asCommandError, asStartError, internalError } from './errors.ts';
import { claimDirectory, prepareSocket } from './ownership.ts';
import { SocketServer } from './server.ts';
import type { StoreOptions } from './store/options.ts';
import { Store } from './store/store.ts';

/** The worker's whole life: claim the directory, open the store, listen; on "stop" the same in reverse. */
type WorkerData = { directory: string; options: StoreOptions };

const { directory, options } = workerData as WorkerData;

/**
 * A background task failed. A fault of the disk or of a stored document is told to the operator: commands go on, those
 * that meet it fail, and the task comes again. A fault of the program must be heard of by the process that uses the store.
 */
function raise(error: unknown): void {
  const known = asCommandError(error);
  if (known.code !== internalError) {
    process.emitWarning(`Work in the background of the store in ${directory} failed: ${known.message}`);
    return;
  }
  setImmediate(() => {
    throw error;
  });
}

async function start(): Promise<void> {
  const ownership = claimDirectory(directory);
  const store = new Store(join(directory, 'data.sqlite'), options, raise);
  const server = new SocketServer(store);
  const socket = prepareSocket(directory);
  await server.listen(socket.path);
  parentPort?.once('message', async () => {
    await server.close();
    await store.close();
    socket.remove();
    ownership.release();
    parentPort?.close();
  });
  parentPort?.postMessage({ socketPath: socket.path });
}

await start().catch((error: unknown) => {
  throw asStartError(directory, error);
});
