import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { MetricsOfAll, MetricsWanted } from '../http/metrics-text.ts';
import type { Logger } from '../lib/logger.ts';
import type { Addresses } from './service.ts';

type FromWorker = { listening: Addresses } | { ready: true } | MetricsWanted;
type ToWorker = MetricsOfAll | { open: true };

export type Workers = {
  /** The addresses at which all workers answer. */
  addresses: Addresses;
  /** Passes the signal on to every worker and waits for their ends. */
  stop(signal: NodeJS.Signals): Promise<void>;
};

/**
 * Milliseconds before a worker that ended by itself is replaced: one that cannot start must not be started without
 * pause.
 */
const RELAUNCH_DELAY = 1000;

/**
 * Runs `count` processes that share one listener and the database at `databaseUri`; a process that ends by itself is
 * replaced. They answer requests once `prepare` has resolved, which gets their addresses. Resolves when all of them
 * answer; rejects when one cannot start, after it has logged why.
 */
export async function startWorkers(options: {
  count: number;
  databaseUri: string;
  log: Logger;
  prepare(addresses: Addresses): Promise<void>;
}): Promise<Workers> {
  const { count, databaseUri, log, prepare } = options;
  let stopping = false;
  const aggregator = new AggregatorRegistry();

  function launch(): Worker {
    // Workers reach the embedded store like any other database.
    const worker = cluster.fork({ MONGODB_URI: databaseUri });
    worker.on('message', (message: FromWorker) => {
      if ('metricsWanted' in message) void answerMetrics(worker, message.metricsWanted);
    });
    return worker;
  }

  async function answerMetrics(worker: Worker, request: number): Promise<void> {
    try {
      worker.send({ metrics: await aggregator.clusterMetrics(), for: request } satisfies ToWorker);
    } catch (error) {
      // The worker that asked gives up after a while, and so does its caller.
      log.error({ error }, 'The metrics of the workers could not be collected.');
    }
  }

  async function relaunch(code: number | null, signal: string | null): Promise<void> {
    if (stopping) return;
    log.error({ code, signal }, 'A worker ended; starting another.');
    await sleep(RELAUNCH_DELAY);
    // A later worker does not wait: the first ones have waited until everything was set up.
    if (!stopping) launch().send({ open: true } satisfies ToWorker);
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    stopping = true;
    const running = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const ended = running.map((worker) => once(worker, 'exit'));
    for (const worker of running) worker.process.kill(signal);
    await Promise.all(ended);
  }

  const launched = Array.from({ length: count }, launch);
  const first = launched.map((worker) => told(worker, 'listening'));
  const ready = Promise.all(launched.map((worker) => told(worker, 'ready')));
  // The promise that is awaited first reports a worker that cannot start.
  ready.catch(() => undefined);
  try {
    const [addresses] = await Promise.all(first);
    if (!addresses) throw new Error('There are no workers.');
    await prepare(addresses);
    for (const worker of launched) if (worker.isConnected()) worker.send({ open: true } satisfies ToWorker);
    await ready;
    cluster.on('exit', (_worker, code, signal) => void relaunch(code, signal));
    return { addresses, stop };
  } catch (error) {
    await Promise.allSettled(first);
    await stop('SIGINT');
    throw error;
  }
}

/** A worker ended before it answered; it has logged the reason. */
export class WorkerFailedError extends Error {}

type Told = { listening: Addresses; ready: true };

/** What a worker reports about its start. */
function told<Name extends keyof Told>(worker: Worker, name: Name): Promise<Told[Name]> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Partial<Told>) => {
      const value = message[name];
      if (value !== undefined) resolve(value);
    });
    worker.once('exit', () => reject(new WorkerFailedError('A worker could not start.')));
  });
}

/**
 * In a worker: resolves when the process that watches over it lets it answer requests. It is asked for at the beginning,
 * since the permission may come before the worker listens.
 */
export function permission(): Promise<void> {
  return new Promise((resolve) => {
    const hear = (message: ToWorker | Record<string, unknown>) => {
      if (!('open' in message)) return;
      process.off('message', hear);
      resolve();
    };
    process.on('message', hear);
  });
}

/** Tells the process that watches over this one where it listens. */
export function announceAddresses(addresses: Addresses): void {
  process.send?.({ listening: addresses } satisfies FromWorker);
}

/** Tells the process that watches over this one that it answers requests. */
export function announce(): void {
  process.send?.({ ready: true } satisfies FromWorker);
}
