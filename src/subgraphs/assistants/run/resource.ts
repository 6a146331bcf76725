import { runEventBatchModel } from '../../../runs/index.ts';
import type { Resource } from '../../subgraph.ts';
import { referencedRun } from './find.ts';
import { runModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const run: Resource = {
  name: 'run',
  models: [runModel, runEventBatchModel],
  goesWithWorkspace: true,
  resolvers,
  references: { Run: ({ id }, context) => referencedRun(context, id) },
};
