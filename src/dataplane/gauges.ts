import type { Gauge } from '../lib/gauge.ts';
import type { OpenStreams } from './answer/relay.ts';
import type { Cache } from './cache/index.ts';

/** What the data plane tells of itself. */
export const dataplaneGauges = ({
  streams,
  openCalls,
  realtime,
  cache,
}: {
  streams: OpenStreams;
  openCalls: { readonly count: number };
  realtime: { open(): number };
  cache: Pick<Cache, 'counters'>;
}): Gauge[] => [
  {
    name: 'sluice_open_streams',
    help: 'Answers that are being streamed from providers.',
    read: () => streams.count,
  },
  {
    name: 'sluice_open_calls',
    help: 'Calls that are on their way to providers, realtime sessions included.',
    read: () => openCalls.count,
  },
  {
    name: 'sluice_realtime_sessions',
    help: 'Realtime sessions that are open or being opened.',
    read: () => realtime.open(),
  },
  {
    name: 'sluice_cache_failures',
    help: 'Times that the shared cache or its embeddings did not answer.',
    read: () => cache.counters.failures,
  },
  {
    name: 'sluice_cache_dropped',
    help: 'Answers that were not kept in the shared cache.',
    read: () => cache.counters.dropped,
  },
  {
    name: 'sluice_cache_skipped',
    help: 'Questions that were compared with no others while embeddings failed.',
    read: () => cache.counters.skipped,
  },
];
