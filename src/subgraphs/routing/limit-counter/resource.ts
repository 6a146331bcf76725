import { limitCounterModel } from '../../../limits/engine/index.ts';
import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const limitCounter: Resource = { name: 'limit-counter', models: [limitCounterModel], resolvers };
