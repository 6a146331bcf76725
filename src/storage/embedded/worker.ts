import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { claimDirectory, prepareSocket } from './ownership.ts';
import { SocketServer } from './server.ts';
import type { StoreOptions } from './store/options.ts';
import { Store } from './store/store.ts';

/** The worker's whole life: claim the directory, open the store, listen; on "stop" the same in reverse. */
type WorkerData = { directory: string; options: StoreOptions };

const { directory, options } = workerData as WorkerData;
/** A background task failed: the process that uses the store must hear of it. */
function raise(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

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
