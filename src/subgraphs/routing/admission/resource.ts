import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const admission: Resource = { name: 'admission', models: [], resolvers };
