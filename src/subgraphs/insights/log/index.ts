import type { Resource } from '../../subgraph.ts';
import { logBodiesModel, logModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedLog } from './service.ts';

export { logBodiesModel, logModel } from './model.ts';
export { type LogEntry, writeLogs } from './write.ts';

export const log: Resource = {
  name: 'log',
  models: [logModel, logBodiesModel],
  resolvers,
  references: { Log: ({ id }, context) => referencedLog(context, id) },
};
