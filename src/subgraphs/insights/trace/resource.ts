import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

/** Made of logs; stores nothing of its own. */
export const trace: Resource = { name: 'trace', models: [], resolvers };
