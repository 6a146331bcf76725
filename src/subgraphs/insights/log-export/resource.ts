import type { Resource } from '../../subgraph.ts';
import { logExportModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedLogExport } from './service.ts';

export const logExport: Resource = {
  name: 'log-export',
  models: [logExportModel],
  resolvers,
  references: { LogExport: ({ id }, context) => referencedLogExport(context, id) },
};
