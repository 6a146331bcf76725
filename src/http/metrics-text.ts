import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** The question of a worker to the process that watches over it; the number tells questions apart. */
export type MetricsWanted = { metricsWanted: number };
/** The answer to the question of that number. */
export type MetricsOfAll = { metrics: string; for: number };

/** Milliseconds within which all workers must have told their numbers. */
const METRICS_TIMEOUT = 6000;

/** The metrics of all workers together, whichever worker is asked; without workers, those of this process. */
export function createMetricsText(registries: Registry[]): () => Promise<string> {
  if (!cluster.isWorker) {
    return async () => (await Promise.all(registries.map((registry) => registry.metrics()))).join('\n');
  }
  AggregatorRegistry.setRegistries(registries);
  new AggregatorRegistry();
  const waiting = new Map<number, (text: string) => void>();
  let requests = 0;
  process.on('message', (message: MetricsOfAll | Record<string, unknown>) => {
    if (!('metrics' in message) || typeof message.for !== 'number') return;
    waiting.get(message.for)?.(String(message.metrics));
    waiting.delete(message.for);
  });
  return async () => {
    const request = requests++;
    const collected = new Promise<string>((resolve) => {
      waiting.set(request, resolve);
    });
    process.send?.({ metricsWanted: request } satisfies MetricsWanted);
    const late = new AbortController();
    const timeout = sleep(METRICS_TIMEOUT, null, { signal: late.signal, ref: false }).catch(() => null);
    const text = await Promise.race([collected, timeout]);
    late.abort();
    waiting.delete(request);
    if (text === null) throw new Error('The metrics of the workers did not come in time.');
    return text;
  };
}
