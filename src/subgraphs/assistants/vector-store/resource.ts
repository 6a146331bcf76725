import type { Resource } from '../../subgraph.ts';
import { referencedVectorStore } from './find.ts';
import { vectorStoreModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const vectorStore: Resource = {
  name: 'vector-store',
  models: [vectorStoreModel],
  goesWithWorkspace: true,
  resolvers,
  references: { VectorStore: ({ id }, context) => referencedVectorStore(context, id) },
};
