import type { Resource } from '../../subgraph.ts';
import { logExportModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedLogExport } from './service.ts';

export { type LinkMembers, linkedContent } from './content.ts';
export { createLogExports } from './create.ts';
export { type LogExportDocument, logExportModel } from './model.ts';

export const logExport: Resource = {
  name: 'log-export',
  models: [logExportModel],
  resolvers,
  references: { LogExport: ({ id }, context) => referencedLogExport(context, id) },
};
