import type { Resource } from '../../subgraph.ts';
import { referencedRun } from './find.ts';
import { runModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const run: Resource = {
  name: 'run',
  models: [runModel],
  goesWithWorkspace: true,
  resolvers,
  references: { Run: ({ id }, context) => referencedRun(context, id) },
};
