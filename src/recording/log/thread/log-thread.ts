import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../lib/logger.ts';
import type { SpanCounters } from '../../spans/span-export.ts';
import type { ExchangeDraft } from '../draft.ts';
import { Overflow } from '../overflow/overflow.ts';
import type { MetricsJson } from '../traffic-metrics.ts';
import { HandOver } from './hand-over.ts';
import type { LogCounters, LogThreadData } from './messages.ts';
import { HandoverPace } from './pace.ts';
import { type StartLogWorker, WorkerPort } from './worker-port.ts';

export type RequestLog = {
  /** Takes a draft without waiting. */
  add(draft: ExchangeDraft): void;
  /** Resolves, and never rejects, when a kill of the process does not lose the draft any more, unless the disk refuses it. */
  keep(draft: ExchangeDraft): Promise<void>;
};

export type LogThread = RequestLog & {
  counters: LogCounters;
  /** Resolves when everything added before is in the database or, while that is away, goes to disk. */
  drain(): Promise<void>;
  start(): void;
  /** Ends once everything is in the database or, where that takes too long, on disk. */
  stop(): Promise<void>;
  /** What became of the spans for the trace collector. */
  spans: SpanCounters;
  /** What the thread has counted; empty when it does not answer in time. */
  metrics(): Promise<MetricsJson>;
};

/** For how long a draft waits before it is handed over, together with its neighbours. */
const HAND_OVER_INTERVAL_MS = 50;
/** For how long a stop waits for what is on disk; the rest is for the next process. */
const STOP_PATIENCE_MS = 10_000;

/**
 * The request log in a thread of its own, with its own connection: working a batch out and encoding it would hold up every
 * request of the main thread for tens of milliseconds. While requests need all processors, and when the thread falls behind,
 * drafts wait on disk (see `../README.md`). `onAppended` runs when events about new logs are in the sequence of events.
 * `startWorker`: starts a thread of another kind, such as one that several logs share.
 */
export function createLogThread(
  data: LogThreadData,
  log: Logger,
  onAppended: () => void,
  startWorker?: StartLogWorker,
): LogThread {
  const spans: SpanCounters = { exported: 0, failed: 0, dropped: 0 };
  const overflow = new Overflow({ directory: data.spoolDirectory, key: data.overflowKey, log });
  const pace = new HandoverPace(log);
  const port = new WorkerPort(
    data,
    {
      onDone: (done) => handOver.done(done),
      onRefused: (refused) => handOver.refused(refused),
      onSpans: (message) => Object.assign(spans, message.spans),
      onAppended,
      onEnd: (code) => handOver.threadEnded(code),
    },
    log,
    startWorker,
  );
  const handOver = new HandOver(port, overflow, pace, log);
  let timer: NodeJS.Timeout | undefined;

  /** Resolves when nothing waits on disk, the database refuses it, or the time is up. */
  async function emptied(patience: number): Promise<void> {
    const until = performance.now() + patience;
    while (port.isRunning && !overflow.isEmpty && !handOver.isAway && performance.now() < until) {
      pace.hurry();
      await sleep(HAND_OVER_INTERVAL_MS);
    }
  }

  return {
    counters: handOver.counters,
    spans,
    add: (draft) => handOver.add(draft),
    keep: (draft) => handOver.keep(draft),
    async drain() {
      handOver.flush();
      await emptied(Number.POSITIVE_INFINITY);
      await port.drained();
    },
    metrics: () => port.metrics(),
    start() {
      port.launch();
      overflow.start();
      timer = setInterval(() => {
        pace.beat();
        handOver.beat();
      }, HAND_OVER_INTERVAL_MS).unref();
    },
    async stop() {
      handOver.flush();
      await emptied(STOP_PATIENCE_MS);
      clearInterval(timer);
      handOver.flush();
      // What still comes from here on waits on disk.
      await port.stop();
      const lost = handOver.takeBack();
      if (lost > 0) log.error({ records: lost }, 'The request log thread ended before it had written all.');
      handOver.flush();
      const unwritten = await overflow.stop();
      handOver.lose(unwritten);
      if (unwritten > 0)
        log.error({ records: unwritten }, 'Request logs were lost: the disk does not take them.');
      handOver.updateCounters();
    },
  };
}
