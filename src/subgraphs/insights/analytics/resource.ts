import type { Resource } from '../../subgraph.ts';
import { logBatchModel, rollupModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const analytics: Resource = {
  name: 'analytics',
  models: [rollupModel, logBatchModel],
  resolvers,
};
