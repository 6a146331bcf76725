import { Worker } from 'node:worker_threads';
import type { Logger, LogLevel } from '../lib/logger.ts';
import type { QueueCounters } from './queue.ts';
import type { ExchangeDraft, RequestLog, RequestLogOptions } from './request-log.ts';
import type { OtlpCollector, SpanCounters } from './spans/span-export.ts';
import type { MetricsJson } from './traffic-metrics.ts';

/** What the thread is started with. */
export type LogThreadData = Pick<
  RequestLogOptions,
  'maskedHeaders' | 'bodies' | 'maxBodyBytes' | 'retentionDays' | 'bodyRetentionDays'
> & {
  /** Null tells no collector. */
  traceCollector: OtlpCollector | null;
  /** Connection string of the database, its name included. */
  uri: string;
  spoolDirectory: string;
  logLevel: LogLevel;
};

export type ToLogThread =
  | { drafts: ExchangeDraft[] }
  | { drain: number }
  | { metrics: number }
  | { stop: true };
export type FromLogThread =
  | { stored: number; counters: QueueCounters }
  | { spans: SpanCounters }
  | { done: number }
  | { metrics: number; values: MetricsJson }
  | { appended: true };

export type LogThread = RequestLog & {
  /** What became of the spans for the trace collector. */
  spans: SpanCounters;
  /** What the thread has counted; empty when it does not answer in time. */
  metrics(): Promise<MetricsJson>;
};

/** Milliseconds that an exchange waits here before it is handed over, together with its neighbours. */
const HAND_OVER_INTERVAL = 50;
/** Exchanges that may be under way to the thread; more means that it has no processor left, and they are dropped. */
const CAPACITY = 100_000;
/** Milliseconds that a look at the metrics waits for the thread. */
const METRICS_PATIENCE = 2000;
/** Milliseconds before a thread that ended is replaced, so that one that cannot start does not spin. */
const RELAUNCH_DELAY = 1000;

/**
 * The request log in a thread of its own, with its own connection: working a batch out and encoding it would hold up
 * every request of the main thread for tens of milliseconds. `onAppended` runs when events about new logs are in the
 * sequence of events.
 */
export function createLogThread(data: LogThreadData, log: Logger, onAppended: () => void): LogThread {
  const counters: QueueCounters = { waiting: 0, written: 0, spooled: 0, dropped: 0 };
  const spans: SpanCounters = { exported: 0, failed: 0, dropped: 0 };
  const answers = new Map<number, () => void>();
  const metricsAsked = new Map<number, (values: MetricsJson) => void>();
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
    if ('metrics' in message) {
      metricsAsked.get(message.metrics)?.(message.values);
      return;
    }
    if ('done' in message) {
      answers.get(message.done)?.();
      answers.delete(message.done);
      return;
    }
    if ('spans' in message) {
      Object.assign(spans, message.spans);
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
    spans,
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
    metrics: () =>
      new Promise((resolve) => {
        if (!worker) return resolve([]);
        const asked = nextAnswer++;
        const settle = (values: MetricsJson) => {
          clearTimeout(patience);
          metricsAsked.delete(asked);
          resolve(values);
        };
        const patience = setTimeout(settle, METRICS_PATIENCE, []).unref();
        metricsAsked.set(asked, settle);
        worker.postMessage({ metrics: asked } satisfies ToLogThread);
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
