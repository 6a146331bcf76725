import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CommandError } from '../../errors.ts';

/** Why a copy failed; null in its place says that it did not. */
export type CheckpointFault = { code: number; message: string };

/** Has the write-ahead log copied to the data file in a thread beside the writer's, which would stand still meanwhile. */
export class Checkpointer {
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  #worker: Worker | null = null;
  #busy = false;

  constructor(path: string, onError: (error: unknown) => void) {
    this.#path = path;
    this.#onError = onError;
  }

  /** Starts a copy, unless one is under way. */
  wake(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#worker ??= this.#start();
    this.#worker.postMessage('checkpoint');
  }

  async close(): Promise<void> {
    if (!this.#worker) return;
    const ended = once(this.#worker, 'exit');
    this.#worker.postMessage('stop');
    await ended;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      name: 'embedded-checkpoint',
      execArgv: ['--disable-warning=ExperimentalWarning'],
      workerData: this.#path,
    });
    worker.on('message', (fault: CheckpointFault | null) => {
      this.#busy = false;
      if (fault) this.#onError(new CommandError(fault.code, fault.message));
    });
    worker.on('error', (error) => {
      this.#busy = false;
      this.#worker = null;
      this.#onError(error);
    });
    return worker;
  }
}
