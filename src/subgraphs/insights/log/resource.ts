import type { Resource } from '../../subgraph.ts';
import { logBodiesPackModel, logModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedLog } from './service.ts';

export const log: Resource = {
  name: 'log',
  models: [logModel, logBodiesPackModel],
  resolvers,
  references: { Log: ({ id }, context) => referencedLog(context, id) },
};
