import { Counter, Histogram, type Metric, Registry } from 'prom-client';
import { throttleGauge } from '../../src/auth/index.ts';
import { dataplaneGauges } from '../../src/dataplane/gauges.ts';
import { graphGauges } from '../../src/graph/index.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { bodyGauge } from '../../src/lib/bodies/index.ts';
import { limitGauges } from '../../src/limits/engine/gauges.ts';
import { createSessionDurations } from '../../src/mcp/session/index.ts';
import { requestLogGauges } from '../../src/recording/log/thread/gauges.ts';
import { createTrafficMetrics } from '../../src/recording/log/traffic-metrics.ts';
import { changesGauge } from '../../src/storage/changes.ts';
import { code, page, type ReferencePage, tableOf } from './page.ts';

type Described = Metric & { name: string; help: string; labelNames: string[] };

/** Every metric that `build` registers, in that order. */
function registeredBy(build: () => void): Described[] {
  const registered: Described[] = [];
  const { registerMetric } = Registry.prototype;
  Registry.prototype.registerMetric = function register(metric) {
    registered.push(metric as Described);
    registerMetric.call(this, metric);
  };
  try {
    build();
  } finally {
    Registry.prototype.registerMetric = registerMetric;
  }
  return registered;
}

const typeOf = (metric: Metric) =>
  metric instanceof Counter ? 'counter' : metric instanceof Histogram ? 'histogram' : 'gauge';

/** Gauges read their subject only when somebody asks for numbers, which nobody does here. */
const nothing = {} as never;

/** The service's own metrics; those of Node.js depend on the machine. */
export function metricsPage(): ReferencePage {
  const gauges = [
    ...dataplaneGauges(nothing),
    ...requestLogGauges(nothing),
    ...limitGauges(nothing, nothing),
    ...graphGauges(nothing, nothing),
    changesGauge(nothing),
    bodyGauge(nothing),
    throttleGauge(nothing),
  ];
  const metrics = registeredBy(() => {
    createMetrics(gauges, async () => [], []);
    createSessionDurations();
    createTrafficMetrics();
  });
  const rows = metrics
    .filter(({ name }) => !/^sluice_(process|nodejs)_/.test(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((metric) => [
      code(metric.name),
      typeOf(metric),
      metric.labelNames.map(code).join(', ') || '–',
      metric.help,
    ]);
  return page(
    'metrics',
    'Metrics',
    'src/http/metrics.ts, src/recording/log/traffic-metrics.ts and src/mcp/session/durations.ts',
    [
      'What `/metrics` shows, for Prometheus. [operations.md](../operations.md#health-and-metrics) says who may see it. Metrics of the',
      'process and of Node.js (memory, event loop, garbage collection, open files) are beside these, as `sluice_process_…` and',
      '`sluice_nodejs_…`. No metric names a model, a workspace or a key, since their number has no bound.',
      '',
      tableOf(['metric', 'type', 'labels', 'meaning'], rows),
    ].join('\n'),
  );
}
