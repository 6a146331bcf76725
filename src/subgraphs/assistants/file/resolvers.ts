import type { Resolvers } from '../resolvers.generated.ts';
import { deleteFile, getFile, listFiles } from './service.ts';

export const resolvers = {
  Query: {
    file: (_parent, { id }, context) => getFile(context, id),
    files: (_parent, args, context) => listFiles(context, args),
  },
  Mutation: { deleteFile: (_parent, { id }, context) => deleteFile(context, id) },
  File: { id: (file) => file._id, statusDetails: () => null },
} satisfies Resolvers;
