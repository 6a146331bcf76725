import { Worker } from 'node:worker_threads';
import type { Logger, LogLevel } from '../lib/logger.ts';
import type { QueueCounters } from './queue.ts';
import type { ExchangeDraft, RequestLog, RequestLogOptions } from './request-log.ts';

/** What the thread is started with. */
export type LogThreadData = Pick<
  RequestLogOptions,
  'maskedHeaders' | 'bodies' | 'maxBodyBytes' | 'retentionDays' | 'bodyRetentionDays'
> & {
  /** Connection string of the database, its name included. */
  uri: string;
  spoolDirectory: string;
  logLevel: LogLevel;
};

export type ToLogThread = { drafts: ExchangeDraft[] } | { drain: number } | { stop: true };
export type FromLogThread =
  | { stored: number; counters: QueueCounters }
  | { done: number }
  | { appended: true };

/** Milliseconds that an exchange waits here before it is handed over, together with its neighbours. */
const HAND_OVER_INTERVAL = 50;
/** Exchanges that may be under way to the thread; more means that it has no processor left, and they are dropped. */
const CAPACITY = 100_000;
/** Milliseconds before a thread that ended is replaced, so that one that cannot start does not spin. */
const RELAUNCH_DELAY = 1000;

/**
 * The request log in a thread of its own, with its own connection: working a batch out and encoding it would hold up
 * every request of the main thread for tens of milliseconds. `onAppended` runs when events about new logs are in the
 * sequence of events.
 */
export function createLogThread(data: LogThreadData, log: Logger, onAppended: () => void): RequestLog {
  const counters: QueueCounters = { waiting: 0, written: 0, spooled: 0, dropped: 0 };
  const answers = new Map<number, () => void>();
  let dropped = 0;
  let nextAnswer = 0;
  let worker: Worker | null = null;
  let waiting: ExchangeDraft[] = [];
  let handedOver = 0;
  let timer: NodeJS.Timeout | undefined;
  let relaunch: NodeJS.Timeout | undefined;

  function handOver(): void {
    if (waiting.length === 0 || !worker) return;
    worker.postMessage({ drafts: waiting } satisfies ToLogThread);
    handedOver += waiting.length;
    waiting = [];
  }

  function onMessage(message: FromLogThread): void {
    if ('appended' in message) {
      onAppended();
      return;
    }
    if ('done' in message) {
      answers.get(message.done)?.();
      answers.delete(message.done);
      return;
    }
    handedOver -= message.stored;
    Object.assign(counters, message.counters, {
      waiting: handedOver + waiting.length,
      dropped: message.counters.dropped + dropped,
    });
  }

  /** A defect ended the thread: what it held is lost and counted, and a new one takes over. */
  function onExit(code: number): void {
    dropped += handedOver;
    counters.dropped += handedOver;
    log.error({ code, records: handedOver }, 'The request log thread ended; starting another.');
    handedOver = 0;
    worker = null;
    for (const answer of answers.values()) answer();
    answers.clear();
    relaunch = setTimeout(launch, RELAUNCH_DELAY).unref();
  }

  function launch(): void {
    worker = new Worker(new URL('./log-worker.ts', import.meta.url), {
      workerData: data,
      name: 'request-log',
    });
    worker.on('message', onMessage);
    worker.on('error', (error) => log.error({ error }, 'The request log thread failed.'));
    worker.on('exit', onExit);
    // Open requests and the listener keep the process alive, not this.
    worker.unref();
  }

  return {
    counters,
    add(draft) {
      if (handedOver + waiting.length >= CAPACITY) {
        dropped++;
        counters.dropped++;
        return;
      }
      waiting.push(draft);
      counters.waiting = handedOver + waiting.length;
    },
    drain: () =>
      new Promise((resolve) => {
        if (!worker) return resolve();
        const drain = nextAnswer++;
        answers.set(drain, resolve);
        handOver();
        worker.postMessage({ drain } satisfies ToLogThread);
      }),
    start() {
      launch();
      timer = setInterval(handOver, HAND_OVER_INTERVAL);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      clearTimeout(relaunch);
      const ending = worker;
      if (!ending) return;
      ending.ref();
      ending.off('exit', onExit);
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
      handOver();
      ending.postMessage({ stop: true } satisfies ToLogThread);
      await ended;
      worker = null;
    },
  };
}
