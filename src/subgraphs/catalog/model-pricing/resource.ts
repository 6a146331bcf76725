import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const modelPricing: Resource = { name: 'model-pricing', models: [], resolvers };
