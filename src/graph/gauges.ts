import type { Gauge } from '../lib/gauge.ts';
import type { Subscriptions } from './doors/subscriptions/index.ts';
import type { Remotes } from './remote/remotes.ts';

/** What the graph tells of its subscriptions, and of its remote subgraphs when it has some. */
export const graphGauges = (subscriptions: Pick<Subscriptions, 'open'>, remotes?: Remotes): Gauge[] => [
  {
    name: 'sluice_subscriptions',
    help: 'Subscriptions that are open, over WebSocket and server-sent events.',
    read: () => subscriptions.open(),
  },
  ...(remotes ? [remoteGauge(remotes)] : []),
];

const remoteGauge = (remotes: Remotes): Gauge => ({
  name: 'sluice_remote_subgraph_up',
  help: '1 while a remote subgraph answers and its newest SDL is in the graph.',
  aggregator: 'min',
  label: 'subgraph',
  read: () => Object.entries(remotes.states()).map(([name, state]) => [name, Number(state === 'up')]),
});
