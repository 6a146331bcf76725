import { isExpired } from '../../../knowledge/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { countsOfStore, countsShape, getVectorStore, preparedFiles } from './find.ts';
import { searchVectorStore } from './search.ts';
import { createVectorStore, deleteVectorStore, listVectorStores, updateVectorStore } from './service.ts';

export const resolvers = {
  Query: {
    vectorStore: (_parent, { id }, context) => getVectorStore(context, id),
    vectorStores: (_parent, args, context) => listVectorStores(context, args),
    searchVectorStore: (_parent, { id, input }, context) => searchVectorStore(context, id, input),
  },
  Mutation: {
    createVectorStore: (_parent, { input }, context) => createVectorStore(context, input ?? {}),
    updateVectorStore: (_parent, { id, input }, context) => updateVectorStore(context, id, input ?? {}),
    deleteVectorStore: (_parent, { id }, context) => deleteVectorStore(context, id),
  },
  VectorStore: {
    id: (store) => store._id,
    usageBytes: async ({ _id }, _args, context) => (await countsOfStore(context).load(_id)).usageBytes,
    fileCounts: async ({ _id }, _args, context) => countsShape(await countsOfStore(context).load(_id)),
    status: async (store, _args, context) => {
      if (isExpired(store, context.now())) return 'expired';
      const { in_progress: waiting } = await countsOfStore(context).load(store._id);
      return waiting > 0 ? 'in_progress' : 'completed';
    },
    expiresAfter: ({ expiresAfterDays: days }) => (days === null ? null : { days }),
    embeddingModel: ({ embedding }) => embedding.model,
    embeddingDimensions: ({ embedding }) => embedding.dimensions,
    embeddingChange: async ({ _id, next }, _args, context) =>
      next
        ? {
            ...next.embedding,
            preparedFiles: await preparedFiles(context).load({ storeId: _id, sign: next.sign }),
            error: next.failure ?? null,
          }
        : null,
  },
} satisfies Resolvers;
