import type { Resource } from '../../subgraph.ts';
import { vectorStoreFileBatchModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const vectorStoreFileBatch: Resource = {
  name: 'vector-store-file-batch',
  models: [vectorStoreFileBatchModel],
  goesWithWorkspace: true,
  resolvers,
};
