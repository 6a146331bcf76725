import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger, LogLevel } from '../../lib/logger.ts';
import type { QueueCounters } from '../queue.ts';
import type { RequestLog, RequestLogOptions } from '../request-log.ts';
import type { OtlpCollector, SpanCounters } from '../spans/span-export.ts';
import type { MetricsJson } from '../traffic-metrics.ts';
import { type Chunk, DraftBuffer } from './draft-codec.ts';
import { createOverflow, type OverflowFile } from './overflow.ts';
import { ProcessorLoad } from './processor-load.ts';

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
  /** 32 bytes under which drafts are sealed that have to wait on disk. */
  overflowKey: Uint8Array;
  logLevel: LogLevel;
};

/** `work`: drafts in memory or on disk; the answer names it. */
export type ToLogThread =
  | { work: number; bytes: Uint8Array }
  | { work: number; path: string }
  | { drain: number }
  | { metrics: number }
  | { stop: true };
export type FromLogThread =
  | { worked: number; counters: QueueCounters }
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

type Work = { bytes: number; drafts: number; file: OverflowFile | null };

/** Milliseconds that a draft waits here before it is handed over, together with its neighbours. */
const HAND_OVER_INTERVAL = 50;
/** Bytes that may be under way to the thread; what comes on top waits on disk. */
const UNDER_WAY_BYTES = 2 * 1024 * 1024;
/** Milliseconds that drafts wait for the requests to leave a processor free, and how full the disk may become meanwhile. */
const PATIENCE = 30_000;
const PATIENT_FULLNESS = 0.5;
/** Milliseconds that a look at the metrics waits for the thread. */
const METRICS_PATIENCE = 2000;
/** Milliseconds before a thread that ended is replaced, so that one that cannot start does not spin. */
const RELAUNCH_DELAY = 1000;
/** Milliseconds that a stop waits for what is on disk; the rest is for the next process. */
const STOP_PATIENCE = 10_000;
/** The thread has a heap of its own; with the main thread's young generation it would hold far more than it needs. */
const YOUNG_GENERATION_MB = 16;

/**
 * The request log in a thread of its own, with its own connection: working a batch out and encoding it would hold up
 * every request of the main thread for tens of milliseconds. The thread gives way to the requests: while they need all
 * processors, and when it falls behind, drafts wait on disk. `onAppended` runs when events about new logs are in the sequence of events.
 */
export function createLogThread(data: LogThreadData, log: Logger, onAppended: () => void): LogThread {
  const counters: QueueCounters = { waiting: 0, written: 0, spooled: 0, dropped: 0 };
  const spans: SpanCounters = { exported: 0, failed: 0, dropped: 0 };
  const overflow = createOverflow(data.spoolDirectory, data.overflowKey, log);
  const buffer = new DraftBuffer(handOver);
  const underWay = new Map<number, Work>();
  const answers = new Map<number, () => void>();
  const metricsAsked = new Map<number, (values: MetricsJson) => void>();
  /** What the latest thread has told, and what the ones before it had. */
  let told: QueueCounters = { ...counters };
  let dropped = 0;
  let bytesUnderWay = 0;
  let draftsUnderWay = 0;
  let nextNumber = 0;
  let worker: Worker | null = null;
  const load = new ProcessorLoad();
  /** Whether drafts on disk wait for a better moment. */
  let isPatient = true;
  let timer: NodeJS.Timeout | undefined;
  let relaunch: NodeJS.Timeout | undefined;

  function count(): void {
    counters.waiting = buffer.drafts + draftsUnderWay + overflow.drafts;
    counters.written = told.written;
    counters.spooled = told.spooled;
    counters.dropped = told.dropped + dropped + overflow.lost;
  }

  function handOver(chunk: Chunk): void {
    const { bytes, drafts } = chunk;
    // In the order in which they came: nothing passes by what waits on disk.
    if (worker && !load.isBusy && overflow.isEmpty && bytesUnderWay + bytes.length <= UNDER_WAY_BYTES) {
      const work = begin({ bytes: bytes.length, drafts, file: null });
      worker.postMessage({ work, bytes } satisfies ToLogThread, [bytes.buffer as ArrayBuffer]);
    } else if (!overflow.append(chunk)) {
      dropped += drafts;
      log.error({ records: drafts }, 'Request logs were lost: too many of them wait on disk.');
    }
  }

  function begin(work: Work): number {
    const number = nextNumber++;
    underWay.set(number, work);
    bytesUnderWay += work.bytes;
    draftsUnderWay += work.drafts;
    return number;
  }

  /** Of what has ended, or of all that was under way. */
  function end(number: number): Work | undefined {
    const work = underWay.get(number);
    if (!work) return;
    underWay.delete(number);
    bytesUnderWay -= work.bytes;
    draftsUnderWay -= work.drafts;
    return work;
  }

  /** Once they have waited too long, drafts are worked out until none is left. */
  function shallWait(): boolean {
    if (overflow.isEmpty) isPatient = true;
    else if (overflow.age > PATIENCE || overflow.fullness > PATIENT_FULLNESS) isPatient = false;
    return load.isBusy && isPatient;
  }

  /** The next file from the disk, once the thread has little to do. */
  async function handOverFile(): Promise<void> {
    if (shallWait() || overflow.isEmpty || bytesUnderWay > 0) return;
    const file = await overflow.take();
    if (!file) return;
    if (!worker || bytesUnderWay > 0) {
      overflow.giveBack(file);
      return;
    }
    const work = begin({ bytes: file.bytes, drafts: file.drafts, file });
    worker.postMessage({ work, path: file.path } satisfies ToLogThread);
  }

  const beat = (): void => {
    buffer.flush();
    count();
    handOverFile().catch((error: unknown) =>
      log.warn({ error }, 'Request logs on disk cannot be handed over now.'),
    );
  };

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
    const work = end(message.worked);
    if (work?.file) overflow.done(work.file);
    told = message.counters;
    beat();
  }

  /** A defect ended the thread: what it held in memory is lost and counted, and a new one takes over. */
  function onExit(code: number): void {
    let lost = 0;
    for (const number of [...underWay.keys()].reverse()) {
      const work = end(number);
      if (work?.file) overflow.giveBack(work.file);
      else lost += work?.drafts ?? 0;
    }
    dropped += lost + told.dropped;
    told = { ...told, dropped: 0 };
    log.error({ code, records: lost }, 'The request log thread ended; starting another.');
    worker = null;
    count();
    for (const answer of answers.values()) answer();
    answers.clear();
    relaunch = setTimeout(launch, RELAUNCH_DELAY).unref();
  }

  function launch(): void {
    worker = new Worker(new URL('./log-worker.ts', import.meta.url), {
      workerData: data,
      name: 'request-log',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.on('message', onMessage);
    worker.on('error', (error) => log.error({ error }, 'The request log thread failed.'));
    worker.on('exit', onExit);
    // Open requests and the listener keep the process alive, not this.
    worker.unref();
  }

  /** Resolves when nothing waits on disk, or the time is up. */
  async function emptied(patience: number): Promise<void> {
    const until = performance.now() + patience;
    while (worker && !overflow.isEmpty && performance.now() < until) {
      isPatient = false;
      await sleep(HAND_OVER_INTERVAL);
    }
  }

  return {
    counters,
    spans,
    add: (draft) => buffer.add(draft),
    async drain() {
      buffer.flush();
      await emptied(Number.POSITIVE_INFINITY);
      if (!worker) return;
      const drain = nextNumber++;
      const drained = new Promise<void>((resolve) => answers.set(drain, resolve));
      worker.postMessage({ drain } satisfies ToLogThread);
      await drained;
    },
    metrics: () =>
      new Promise((resolve) => {
        if (!worker) return resolve([]);
        const asked = nextNumber++;
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
      overflow.start();
      timer = setInterval(() => {
        load.beat().catch((error: unknown) => log.warn({ error }, 'The load of the machine is not known.'));
        beat();
      }, HAND_OVER_INTERVAL);
      timer.unref();
    },
    async stop() {
      buffer.flush();
      await emptied(STOP_PATIENCE);
      clearInterval(timer);
      clearTimeout(relaunch);
      const ending = worker;
      if (ending) {
        ending.ref();
        ending.off('exit', onExit);
        const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
        ending.postMessage({ stop: true } satisfies ToLogThread);
        await ended;
        worker = null;
      }
      await overflow.stop();
    },
  };
}
