import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../../lib/logger.ts';
import { threadLimits } from '../../../lib/threads/thread-limits.ts';
import type { MetricsJson } from '../traffic-metrics.ts';
import type { FromLogThread, LogThreadData, ToLogThread, WorkDone, WorkRefused } from './messages.ts';

/** A thread in which logs are worked out, or a part of one. */
export type LogWorker = EventEmitter & Pick<Worker, 'postMessage' | 'ref' | 'unref'>;
export type StartLogWorker = (data: LogThreadData) => LogWorker;

/** For how long a look at the metrics waits for the thread. */
const METRICS_PATIENCE_MS = 2000;
/** Time before a thread that ended is replaced, so that one that cannot start does not spin. */
const RELAUNCH_DELAY_MS = 1000;
/** The thread has a heap of its own; with the main thread's young generation it would hold far more than it needs. */
const YOUNG_GENERATION_MB = 24;

const startThread: StartLogWorker = (data) =>
  new Worker(new URL('./log-worker.ts', import.meta.url), {
    workerData: data,
    name: 'request-log',
    resourceLimits: threadLimits({ maxYoungGenerationSizeMb: YOUNG_GENERATION_MB }),
  });

/** What the thread says without being asked, and that it has ended by a defect; another one is started then. */
type Listeners = {
  onDone(done: WorkDone): void;
  onRefused(refused: WorkRefused): void;
  onSpans(message: Extract<FromLogThread, { spans: unknown }>): void;
  onAppended(): void;
  onEnd(code: number): void;
};

/** The main thread's side of the conversation with the log's thread, which it starts, replaces and ends. */
export class WorkerPort {
  readonly #data: LogThreadData;
  readonly #listeners: Listeners;
  readonly #log: Logger;
  readonly #startWorker: StartLogWorker;
  readonly #drains = new Map<number, () => void>();
  readonly #metrics = new Map<number, (values: MetricsJson) => void>();
  #nextQuestion = 0;
  #worker: LogWorker | null = null;
  /** False from the end of one thread until the next has started. */
  #isReady = true;
  #relaunch: NodeJS.Timeout | undefined;

  constructor(data: LogThreadData, listeners: Listeners, log: Logger, startWorker = startThread) {
    this.#data = data;
    this.#listeners = listeners;
    this.#log = log;
    this.#startWorker = startWorker;
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  get takesWork(): boolean {
    return this.#worker !== null && this.#isReady;
  }

  launch(): void {
    const worker = this.#startWorker(this.#data);
    worker.on('message', this.#onMessage);
    worker.on('error', (error) => this.#log.error({ error }, 'The request log thread failed.'));
    worker.on('exit', this.#onExit);
    // Open requests and the listener keep the process alive; the thread does not.
    worker.unref();
    this.#worker = worker;
  }

  post(message: ToLogThread, moved: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, moved);
  }

  /** Resolves when the thread has stored all that it was given, or has ended. */
  drained(): Promise<void> {
    if (!this.#worker) return Promise.resolve();
    const drain = this.#nextQuestion++;
    return new Promise((resolve) => {
      this.#drains.set(drain, resolve);
      this.post({ drain });
    });
  }

  /** What the thread has counted; empty when it does not answer in time. */
  metrics(): Promise<MetricsJson> {
    if (!this.#worker) return Promise.resolve([]);
    const metrics = this.#nextQuestion++;
    return new Promise((resolve) => {
      const settle = (values: MetricsJson) => {
        clearTimeout(patience);
        this.#metrics.delete(metrics);
        resolve(values);
      };
      const patience = setTimeout(settle, METRICS_PATIENCE_MS, []).unref();
      this.#metrics.set(metrics, settle);
      this.post({ metrics });
    });
  }

  /** Takes no work from now on; resolves when the thread has written what it was given, or given it up, and has ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#relaunch);
    const ending = this.#worker;
    this.#worker = null;
    if (!ending) return;
    ending.ref();
    ending.off('exit', this.#onExit);
    const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
    ending.postMessage({ stop: true } satisfies ToLogThread);
    await ended;
  }

  #onMessage = (message: FromLogThread): void => {
    if ('ready' in message) this.#isReady = true;
    else if ('appended' in message) this.#listeners.onAppended();
    else if ('metrics' in message) this.#metrics.get(message.metrics)?.(message.values);
    else if ('spans' in message) this.#listeners.onSpans(message);
    else if ('worked' in message) this.#listeners.onDone(message);
    else if ('refused' in message) this.#listeners.onRefused(message);
    else {
      this.#drains.get(message.done)?.();
      this.#drains.delete(message.done);
    }
  };

  #onExit = (code: number): void => {
    this.#worker = null;
    this.#isReady = false;
    this.#listeners.onEnd(code);
    for (const resolve of this.#drains.values()) resolve();
    this.#drains.clear();
    this.#relaunch = setTimeout(() => this.launch(), RELAUNCH_DELAY_MS).unref();
  };
}
