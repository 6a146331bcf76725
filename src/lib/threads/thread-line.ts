import { Worker } from 'node:worker_threads';
import type { Logger } from '../logger.ts';
import type { ThreadCall, ThreadCalls, ThreadReply } from './serve.ts';
import { threadLimits } from './thread-limits.ts';

/** The thread refused a call; `kind` is the class of its error. */
export class ThreadError extends Error {
  readonly kind: string;
  constructor(message: string, kind: string) {
    super(message);
    this.kind = kind;
  }
}

type Waiting = { resolve(value: unknown): void; reject(error: Error): void };

type Options = {
  file: URL;
  name: string;
  data: unknown;
  /** Megabytes of its heap. */
  heapMb: number;
  /** Milliseconds without a call after which it ends; it starts again by the next one. Null: never. */
  idleMs: number | null;
  /** Told when it has ended without having been asked to. */
  onLoss?: () => void;
  log: Logger;
};

/** The main thread's side of a thread that answers calls. It starts with the first of them. */
export class ThreadLine<C extends ThreadCalls> {
  readonly #options: Options;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #nextId = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  ask<N extends keyof C & string>(
    name: N,
    ...parameters: Parameters<C[N]>
  ): Promise<Awaited<ReturnType<C[N]>>> {
    const id = this.#nextId++;
    clearTimeout(this.#idle);
    this.#worker ??= this.#launch();
    const call: ThreadCall = { id, name, parameters };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      this.#worker?.postMessage(call);
    });
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
    this.#refuseAll('The thread has been stopped.');
  }

  #launch(): Worker {
    const { file, name, data, heapMb, log } = this.#options;
    const worker = new Worker(file, {
      workerData: data,
      name,
      resourceLimits: threadLimits({ maxOldGenerationSizeMb: heapMb }),
    });
    worker.on('message', (reply: ThreadReply) => this.#onReply(reply));
    worker.on('error', (error) =>
      log.error({ error }, `The thread ${name} failed; it starts again when it is needed.`),
    );
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#refuseAll(`The thread ${name} ended.`);
      this.#options.onLoss?.();
    });
    worker.unref();
    return worker;
  }

  #onReply(reply: ThreadReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('value' in reply) waiting?.resolve(reply.value);
    else waiting?.reject(new ThreadError(reply.message, reply.kind));
    const { idleMs } = this.#options;
    if (this.#waiting.size === 0 && idleMs !== null)
      this.#idle = setTimeout(() => void this.stop(), idleMs).unref();
  }

  #refuseAll(message: string): void {
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of lost) reject(new ThreadError(message, 'ThreadLost'));
  }
}
