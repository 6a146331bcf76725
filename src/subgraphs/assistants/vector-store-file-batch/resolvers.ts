import type { Resolvers } from '../resolvers.generated.ts';
import { countsOfBatch, countsShape } from '../vector-store/index.ts';
import { cancelBatch, createBatch, getBatch, listBatchFiles } from './service.ts';

export const resolvers = {
  Query: {
    vectorStoreFileBatch: (_parent, place, context) => getBatch(context, place),
    vectorStoreFileBatchFiles: (_parent, args, context) => listBatchFiles(context, args),
  },
  Mutation: {
    createVectorStoreFileBatch: (_parent, { vectorStoreId, input }, context) =>
      createBatch(context, vectorStoreId, input),
    cancelVectorStoreFileBatch: (_parent, place, context) => cancelBatch(context, place),
  },
  VectorStoreFileBatch: {
    id: (batch) => batch._id,
    vectorStoreId: (batch) => batch.storeId,
    fileCounts: async ({ _id }, _args, context) => countsShape(await countsOfBatch(context).load(_id)),
    status: async ({ _id, cancelledAt }, _args, context) => {
      const counts = await countsOfBatch(context).load(_id);
      if (counts.in_progress > 0) return 'in_progress';
      if (cancelledAt !== null) return 'cancelled';
      return counts.completed === 0 && counts.failed > 0 ? 'failed' : 'completed';
    },
  },
} satisfies Resolvers;
