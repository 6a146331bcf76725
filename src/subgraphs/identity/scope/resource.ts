import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const scope: Resource = { name: 'scope', models: [], resolvers };
