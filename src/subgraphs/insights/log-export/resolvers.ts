import type { Resolvers } from '../resolvers.generated.ts';
import {
  createLogExport,
  fieldRestrictions,
  getLogExport,
  listLogExports,
  updateLogExport,
} from './service.ts';
import { cancelLogExport, logExportDownload, startLogExport } from './start.ts';

export const resolvers = {
  Query: {
    logExport: (_parent, { id }, context) => getLogExport(context, id),
    logExports: (_parent, args, context) => listLogExports(context, args),
    logExportDownload: (_parent, { id }, context) => logExportDownload(context, id),
    logExportFieldRestrictions: (_parent, { workspaceId }, context) =>
      fieldRestrictions(context, workspaceId),
  },
  Mutation: {
    createLogExport: (_parent, { input }, context) => createLogExport(context, input),
    updateLogExport: (_parent, { id, input }, context) => updateLogExport(context, id, input),
    startLogExport: (_parent, { id }, context) => startLogExport(context, id),
    cancelLogExport: (_parent, { id }, context) => cancelLogExport(context, id),
  },
  LogExport: { id: (logExport) => logExport._id },
} satisfies Resolvers;
