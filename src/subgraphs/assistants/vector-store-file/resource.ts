import type { Resource } from '../../subgraph.ts';
import { vectorSegmentModel, vectorStoreFileModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const vectorStoreFile: Resource = {
  name: 'vector-store-file',
  models: [vectorStoreFileModel, vectorSegmentModel],
  goesWithWorkspace: true,
  resolvers,
};
