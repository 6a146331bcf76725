import type { Resource } from '../../subgraph.ts';
import { logBodiesPackModel, logModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedLog } from './service.ts';

export { logQuery, parseModel } from './filters.ts';
export { findLogQuery } from './find-query.ts';
export { lastModelsOf } from './last-models.ts';
export { readPacks } from './loaders.ts';
export { shownRequest, shownResponse } from './messages.ts';
export { logBodiesPackModel, logModel } from './model.ts';
export { cents } from './money.ts';

export const log: Resource = {
  name: 'log',
  models: [logModel, logBodiesPackModel],
  resolvers,
  references: { Log: ({ id }, context) => referencedLog(context, id) },
};
