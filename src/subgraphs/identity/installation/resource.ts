import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const installation: Resource = { name: 'installation', models: [], resolvers };
