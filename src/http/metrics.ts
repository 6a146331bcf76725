import type { ServerResponse } from 'node:http';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Throttle } from '../auth/index.ts';
import type { OpenStreams } from '../dataplane/answer/relay.ts';
import type { Cache } from '../dataplane/cache/index.ts';
import type { Remotes } from '../graph/index.ts';
import type { BodyBudget } from '../lib/bodies/index.ts';
import type { LogThread } from '../recording/handover/log-thread.ts';
import type { MetricsJson } from '../recording/traffic-metrics.ts';
import type { Changes } from '../storage/changes.ts';
import { createMetricsText } from './metrics-text.ts';

export type Metrics = {
  /** Counts and times an answer when it is done. */
  observe(door: string, response: ServerResponse): void;
  text(): Promise<string>;
  contentType: string;
};

/** Of one front door; `answered` by the first digit of the status, 0 for no answer. */
type Tally = { open: number; answered: number[]; timer: Histogram.Internal<'door'> };

/** What another thread has counted, as it tells when it is asked. */
class ThreadMetrics extends Registry {
  readonly #read: () => Promise<MetricsJson>;

  constructor(read: () => Promise<MetricsJson>) {
    super();
    this.#read = read;
  }

  override getMetricsAsJSON(): Promise<MetricsJson> {
    return this.#read();
  }

  override async metrics(): Promise<string> {
    return AggregatorRegistry.aggregate([await this.#read()]).metrics();
  }
}

/** Prometheus metrics at `/metrics`: of this process, or of all workers when it is one. */
export function createMetrics({
  requestLog,
  cache,
  changes,
  subscriptions,
  streams,
  openCalls,
  realtime,
  remotes,
  throttle,
  bodies,
}: {
  requestLog: Pick<LogThread, 'counters' | 'spans' | 'metrics'>;
  cache: Pick<Cache, 'counters'>;
  changes: Changes;
  subscriptions: { open(): number };
  streams: OpenStreams;
  openCalls: { readonly count: number };
  realtime: { open(): number };
  remotes?: Pick<Remotes, 'states'> | undefined;
  throttle: Pick<Throttle, 'failures'>;
  bodies: Pick<BodyBudget, 'held'>;
}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'sluice_' });
  // Counted in plain numbers, which the registry is told when somebody looks: it would cost more than the counting.
  const tallies = new Map<string, Tally>();
  new Counter({
    name: 'sluice_requests_total',
    help: 'Answered requests by front door and status class.',
    labelNames: ['door', 'status'],
    registers,
    collect() {
      this.reset();
      for (const [door, { answered }] of tallies) {
        for (const [statusClass, count] of answered.entries()) {
          const status = statusClass === 0 ? 'none' : `${statusClass}xx`;
          if (count > 0) this.inc({ door, status }, count);
        }
      }
    },
  });
  const durations = new Histogram({
    name: 'sluice_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['door'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers,
  });
  gauge(
    'sluice_request_log_waiting',
    'Request logs waiting to be written.',
    () => requestLog.counters.waiting,
  );
  gauge(
    'sluice_request_log_written',
    'Request logs written to the database.',
    () => requestLog.counters.written,
  );
  gauge(
    'sluice_request_log_spooled',
    'Request logs that went to disk first.',
    () => requestLog.counters.spooled,
  );
  gauge('sluice_request_log_dropped', 'Request logs that were lost.', () => requestLog.counters.dropped);
  gauge(
    'sluice_directory_stale',
    '1 while the database does not answer and memory serves.',
    () => Number(changes.isStale()),
    'max',
  );

  gauge(
    'sluice_cache_failures',
    'Times that the shared cache or its embeddings did not answer.',
    () => cache.counters.failures,
  );
  gauge(
    'sluice_cache_dropped',
    'Answers that were not kept in the shared cache.',
    () => cache.counters.dropped,
  );
  gauge(
    'sluice_cache_skipped',
    'Questions that were compared with no others while embeddings failed.',
    () => cache.counters.skipped,
  );
  gauge('sluice_body_bytes', 'Bytes of request bodies that are held in memory.', () => bodies.held());
  gauge('sluice_open_streams', 'Answers that are being streamed from providers.', () => streams.count);
  gauge(
    'sluice_open_calls',
    'Calls that are on their way to providers, realtime sessions included.',
    () => openCalls.count,
  );
  gauge('sluice_subscriptions', 'Subscriptions that are open, over WebSocket and server-sent events.', () =>
    subscriptions.open(),
  );
  gauge('sluice_realtime_sessions', 'Realtime sessions that are open or being opened.', () =>
    realtime.open(),
  );
  new Counter({
    name: 'sluice_trace_spans_total',
    help: 'Spans for the trace collector: exported, failed, or dropped since too many waited.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, spans] of Object.entries(requestLog.spans)) this.inc({ outcome }, spans);
    },
  });
  new Gauge({
    name: 'sluice_open_requests',
    help: 'Requests that are being answered, streams included, by front door.',
    labelNames: ['door'],
    registers,
    collect() {
      for (const [door, { open }] of tallies) this.set({ door }, open);
    },
  });
  new Counter({
    name: 'sluice_authentication_failures_total',
    help: 'Requests with a wrong credential by front door.',
    labelNames: ['door'],
    registers,
    collect() {
      this.reset();
      for (const [door, failures] of throttle.failures) this.inc({ door }, failures);
    },
  });
  if (remotes) {
    new Gauge({
      name: 'sluice_remote_subgraph_up',
      help: '1 while a remote subgraph answers and its newest SDL is in the graph.',
      aggregator: 'min',
      labelNames: ['subgraph'],
      registers,
      collect() {
        for (const [subgraph, state] of Object.entries(remotes.states())) {
          this.set({ subgraph }, Number(state === 'up'));
        }
      },
    });
  }

  function tallyOf(door: string): Tally {
    let tally = tallies.get(door);
    if (!tally) {
      tally = { open: 0, answered: [0, 0, 0, 0, 0, 0], timer: durations.labels(door) };
      tallies.set(door, tally);
    }
    return tally;
  }

  function gauge(name: string, help: string, read: () => number, aggregator: 'sum' | 'max' = 'sum'): void {
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      collect() {
        this.set(read());
      },
    });
  }

  const text = createMetricsText([registry, new ThreadMetrics(requestLog.metrics)]);
  return {
    observe(door, response) {
      const startedAt = performance.now();
      const tally = tallyOf(door);
      tally.open++;
      response.on('close', () => {
        tally.open--;
        const statusClass = response.headersSent ? Math.floor(response.statusCode / 100) : 0;
        tally.answered[statusClass] = (tally.answered[statusClass] ?? 0) + 1;
        tally.timer.observe((performance.now() - startedAt) / 1000);
      });
    },
    async text() {
      // The request that asks is counted first.
      await null;
      return text();
    },
    contentType: registry.contentType,
  };
}
