import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const availableModel: Resource = { name: 'available-model', models: [], resolvers };
