import type { ServerResponse } from 'node:http';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  Gauge as PrometheusGauge,
  Registry,
} from 'prom-client';
import type { Gauge } from '../lib/gauge.ts';
import type { MetricsJson } from '../recording/log/traffic-metrics.ts';
import { createMetricsText } from './metrics-text.ts';

export type Metrics = {
  /** Counts and times an answer when it is done. */
  observe(door: string, response: ServerResponse): void;
  text(): Promise<string>;
  contentType: string;
};

/** The counts of one front door; `answered` is indexed by the first digit of the status, 0 for no answer. */
type Tally = { open: number; answered: number[]; timer: Histogram.Internal<'door'> };

/** A registry that reads its numbers from another thread. */
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

/**
 * Prometheus metrics at `/metrics`: of this process, or of all workers when it is one. The front doors are counted here;
 * every other number is a gauge that a part of the service offers, comes from the thread that writes request logs, or stands
 * in a registry of a part of the service.
 */
export function createMetrics(
  gauges: Gauge[],
  readLogThread: () => Promise<MetricsJson>,
  registries: Registry[],
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'sluice_' });
  // A request only adds to plain numbers, which is cheap; the registry gets them when somebody asks for the metrics.
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
  for (const gauge of [openRequests(tallies), ...gauges]) register(gauge, registry);

  function tallyOf(door: string): Tally {
    let tally = tallies.get(door);
    if (!tally) {
      tally = { open: 0, answered: [0, 0, 0, 0, 0, 0], timer: durations.labels(door) };
      tallies.set(door, tally);
    }
    return tally;
  }

  const text = createMetricsText([registry, new ThreadMetrics(readLogThread), ...registries]);
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
      // Waits one turn, so that the request for the metrics is counted itself.
      await null;
      return text();
    },
    contentType: registry.contentType,
  };
}

const openRequests = (tallies: ReadonlyMap<string, Tally>): Gauge => ({
  name: 'sluice_open_requests',
  help: 'Requests that are being answered, streams included, by front door.',
  label: 'door',
  read: () => [...tallies].map(([door, { open }]) => [door, open]),
});

function register(gauge: Gauge, registry: Registry): void {
  const { name, help, kind, aggregator = 'sum', label } = gauge;
  const registers = [registry];
  const labelNames = label === undefined ? [] : [label];
  const readings = () =>
    gauge.label === undefined
      ? [{ labels: {}, value: gauge.read() }]
      : Array.from(gauge.read(), ([text, value]) => ({ labels: { [gauge.label]: text }, value }));
  if (kind === 'counter') {
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset();
        for (const { labels, value } of readings()) this.inc(labels, value);
      },
    });
    return;
  }
  new PrometheusGauge({
    ...{ name, help, labelNames, registers, aggregator },
    collect() {
      for (const { labels, value } of readings()) this.set(labels, value);
    },
  });
}
