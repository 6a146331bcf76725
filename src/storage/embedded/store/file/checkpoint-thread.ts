import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { asCommandError } from '../../errors.ts';
import type { CheckpointFault } from './checkpointer.ts';

/** Copies the write-ahead log to the data file each time it is told to, and says how that went. */
const sqlite = new DatabaseSync(workerData as string);

parentPort?.on('message', (message: 'checkpoint' | 'stop') => {
  if (message === 'stop') {
    sqlite.close();
    parentPort?.close();
    return;
  }
  try {
    // Passive: it waits for nobody, and nobody for it.
    sqlite.exec('PRAGMA wal_checkpoint(PASSIVE)');
    parentPort?.postMessage(null);
  } catch (error) {
    // An error that goes to another thread loses what SQLite calls it.
    const { code, message } = asCommandError(error);
    parentPort?.postMessage({ code, message } satisfies CheckpointFault);
  }
});
