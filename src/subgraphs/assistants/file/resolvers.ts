import type { Resolvers } from '../resolvers.generated.ts';
import { storesOfFile } from '../vector-store-file/index.ts';
import { deleteFile, getFile, listFiles } from './service.ts';

export const resolvers = {
  Query: {
    file: (_parent, { id }, context) => getFile(context, id),
    files: (_parent, args, context) => listFiles(context, args),
  },
  Mutation: { deleteFile: (_parent, { id }, context) => deleteFile(context, id) },
  File: {
    id: (file) => file._id,
    statusDetails: () => null,
    vectorStoreFiles: async (file, { limit }, context) =>
      (await storesOfFile(context).load(file._id)).slice(0, limit),
  },
} satisfies Resolvers;
