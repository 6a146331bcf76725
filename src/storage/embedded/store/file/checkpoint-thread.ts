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
    // A passive checkpoint waits for no reader or writer, and none waits for it.
    sqlite.exec('PRAGMA wal_checkpoint(PASSIVE)');
    parentPort?.postMessage(null);
  } catch (error) {
    // An error that is posted to another thread loses SQLite's code, so it is read here.
    const { code, message } = asCommandError(error);
    parentPort?.postMessage({ code, message } satisfies CheckpointFault);
  }
});
