import type { Resource } from '../../subgraph.ts';
import { batchLineModel, batchModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedBatch } from './service.ts';

export const batch: Resource = {
  name: 'batch',
  models: [batchModel, batchLineModel],
  goesWithWorkspace: true,
  resolvers,
  references: { Batch: ({ id }, context) => referencedBatch(context, id) },
};
