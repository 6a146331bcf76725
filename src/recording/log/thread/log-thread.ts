import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../../lib/logger.ts';
import { threadLimits } from '../../../lib/thread-limits.ts';
import type { QueueCounters } from '../../queue/queue.ts';
import type { SpanCounters } from '../../spans/span-export.ts';
import { type Chunk, DraftBuffer } from '../codec/draft-codec.ts';
import { createOverflow } from '../overflow/overflow.ts';
import type { RequestLog } from '../request-log.ts';
import type { MetricsJson } from '../traffic-metrics.ts';
import type { FromLogThread, LogThreadData, ToLogThread } from './messages.ts';
import { ProcessorLoad } from './processor-load.ts';
import { UnderWay } from './under-way.ts';

export type LogThread = RequestLog & {
  /** What became of the spans for the trace collector. */
  spans: SpanCounters;
  /** What the thread has counted; empty when it does not answer in time. */
  metrics(): Promise<MetricsJson>;
};

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
const YOUNG_GENERATION_MB = 24;

/**
 * The request log in a thread of its own, with its own connection: working a batch out and encoding it would hold up
 * every request of the main thread for tens of milliseconds. While requests need all processors, and when the thread falls
 * behind, drafts wait on disk. `onAppended` runs when events about new logs are in the sequence of events.
 */
export function createLogThread(data: LogThreadData, log: Logger, onAppended: () => void): LogThread {
  const counters: QueueCounters = { waiting: 0, written: 0, spooled: 0, dropped: 0 };
  const spans: SpanCounters = { exported: 0, failed: 0, dropped: 0 };
  const overflow = createOverflow({
    directory: data.spoolDirectory,
    key: data.overflowKey,
    log,
  });
  const buffer = new DraftBuffer(handOver);
  const underWay = new UnderWay();
  const answers = new Map<number, () => void>();
  const metricsAsked = new Map<number, (values: MetricsJson) => void>();
  /** What the present thread has told, and what the ones before it had. */
  let told: QueueCounters = { ...counters };
  const earlier: QueueCounters = { ...counters };
  let dropped = 0;
  let nextNumber = 0;
  let worker: Worker | null = null;
  /** False from the end of one thread until the next has started. */
  let isReady = true;
  let isLoadKnown = true;
  const load = new ProcessorLoad();
  /** Whether drafts on disk wait for a better moment. */
  let isPatient = true;
  let timer: NodeJS.Timeout | undefined;
  let relaunch: NodeJS.Timeout | undefined;

  function updateCounters(): void {
    counters.waiting = buffer.drafts + underWay.drafts + overflow.drafts;
    counters.written = earlier.written + told.written;
    counters.spooled = earlier.spooled + told.spooled;
    counters.dropped = earlier.dropped + told.dropped + dropped;
  }

  const hasRoom = ({ bytes }: Chunk): boolean =>
    worker !== null && isReady && underWay.bytes + bytes.length <= UNDER_WAY_BYTES;

  function handOver(chunk: Chunk): void {
    // In the order in which they came: nothing passes by what waits on disk.
    if (hasRoom(chunk) && !load.isBusy() && overflow.isEmpty) give(chunk);
    else if (!overflow.append(chunk)) giveOrLose(chunk);
  }

  function giveOrLose(chunk: Chunk): void {
    if (hasRoom(chunk)) {
      give(chunk);
      return;
    }
    dropped += chunk.drafts;
    log.error(
      { records: chunk.drafts },
      'Request logs were lost: neither the thread nor the disk took them.',
    );
  }

  function give(chunk: Chunk): void {
    // A copy, whose memory goes along.
    const bytes = new Uint8Array(chunk.bytes);
    const work = underWay.begin({ bytes: bytes.length, drafts: chunk.drafts, file: null });
    worker?.postMessage({ work, bytes } satisfies ToLogThread, [bytes.buffer as ArrayBuffer]);
  }

  /** A disk that takes nothing must not keep from the database what it would take. */
  function giveRefused(): void {
    if (!worker || !isReady || underWay.bytes > 0) return;
    const chunk = overflow.takeRefused();
    if (chunk) give(chunk);
  }

  /** Once they have waited too long, drafts are worked out until none is left. */
  function shallWait(): boolean {
    if (overflow.isEmpty) isPatient = true;
    else if (overflow.age > PATIENCE || overflow.fullness > PATIENT_FULLNESS) isPatient = false;
    return load.isBusy() && isPatient;
  }

  /** The next file from the disk, once the thread has little to do. */
  async function handOverFile(): Promise<void> {
    if (!worker || !isReady || shallWait() || overflow.isEmpty || underWay.bytes > 0) return;
    const file = await overflow.take();
    if (!file) {
      giveRefused();
      return;
    }
    if (!worker || !isReady) {
      overflow.giveBack(file);
      return;
    }
    const work = underWay.begin({ bytes: file.bytes, drafts: file.drafts, file });
    worker.postMessage({ work, path: file.path } satisfies ToLogThread);
  }

  const beat = (): void => {
    buffer.flush();
    updateCounters();
    handOverFile().catch((error: unknown) =>
      log.warn({ error }, 'Request logs on disk cannot be handed over now.'),
    );
  };

  function onMessage(message: FromLogThread): void {
    if ('ready' in message) {
      isReady = true;
      return;
    }
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
    const work = underWay.end(message.worked);
    // Less than was written down: a piece of the file could not be read.
    dropped += Math.max(0, (work?.drafts ?? 0) - message.drafts);
    if (work?.file) overflow.done(work.file);
    told = message.counters;
    beat();
  }

  /** What was under way: on disk it is still there, in memory it is lost and counted. */
  function takeBack(): number {
    let lost = 0;
    for (const { file, drafts } of underWay.endAll()) {
      if (file) overflow.giveBack(file);
      else lost += drafts ?? 0;
    }
    dropped += lost;
    return lost;
  }

  /** A defect ended the thread: a new one takes over. */
  function onExit(code: number): void {
    worker = null;
    isReady = false;
    const lost = takeBack();
    for (const name of ['written', 'spooled', 'dropped'] as const) earlier[name] += told[name];
    told = { waiting: 0, written: 0, spooled: 0, dropped: 0 };
    log.error({ code, records: lost }, 'The request log thread ended; starting another.');
    updateCounters();
    for (const answer of answers.values()) answer();
    answers.clear();
    relaunch = setTimeout(launch, RELAUNCH_DELAY).unref();
  }

  function launch(): void {
    worker = new Worker(new URL('./log-worker.ts', import.meta.url), {
      workerData: data,
      name: 'request-log',
      resourceLimits: threadLimits({ maxYoungGenerationSizeMb: YOUNG_GENERATION_MB }),
    });
    worker.on('message', onMessage);
    worker.on('error', (error) => log.error({ error }, 'The request log thread failed.'));
    worker.on('exit', onExit);
    // Open requests and the listener keep the process alive, not this.
    worker.unref();
  }

  function sayLoadIsUnknown(error: unknown): void {
    if (isLoadKnown) log.warn({ error }, 'The load of the machine is not known.');
    isLoadKnown = false;
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
        load.beat().catch(sayLoadIsUnknown);
        beat();
      }, HAND_OVER_INTERVAL);
      timer.unref();
    },
    async stop() {
      buffer.flush();
      await emptied(STOP_PATIENCE);
      clearInterval(timer);
      clearTimeout(relaunch);
      buffer.flush();
      const ending = worker;
      // Nothing more is handed over: what still comes waits on disk.
      worker = null;
      if (ending) {
        ending.ref();
        ending.off('exit', onExit);
        const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
        ending.postMessage({ stop: true } satisfies ToLogThread);
        await ended;
        const lost = takeBack();
        if (lost > 0) log.error({ records: lost }, 'The request log thread ended before it had written all.');
      }
      buffer.flush();
      const unwritten = await overflow.stop();
      dropped += unwritten;
      if (unwritten > 0)
        log.error({ records: unwritten }, 'Request logs were lost: the disk does not take them.');
      updateCounters();
    },
  };
}
