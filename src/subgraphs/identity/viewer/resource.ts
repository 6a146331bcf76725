import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const viewer: Resource = { name: 'viewer', models: [], resolvers };
