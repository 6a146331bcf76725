import { chunkingShape } from '../members/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import {
  createStoreFile,
  deleteStoreFile,
  getStoreFile,
  getStoreFileContent,
  listStoreFiles,
  updateStoreFile,
} from './service.ts';

export const resolvers = {
  Query: {
    vectorStoreFile: (_parent, place, context) => getStoreFile(context, place),
    vectorStoreFiles: (_parent, args, context) => listStoreFiles(context, args),
    vectorStoreFileContent: (_parent, place, context) => getStoreFileContent(context, place),
  },
  Mutation: {
    createVectorStoreFile: (_parent, { vectorStoreId, input }, context) =>
      createStoreFile(context, vectorStoreId, input),
    updateVectorStoreFile: (_parent, { input, ...place }, context) => updateStoreFile(context, place, input),
    deleteVectorStoreFile: (_parent, place, context) => deleteStoreFile(context, place),
  },
  VectorStoreFile: {
    id: (file) => file.fileId,
    vectorStoreId: (file) => file.storeId,
    chunkingStrategy: (file) => chunkingShape(file.chunking),
  },
} satisfies Resolvers;
