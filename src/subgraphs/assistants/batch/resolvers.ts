import { cents } from '../../insights/log-filters/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { costOf } from './cost.ts';
import { cancelBatch, createBatch, getBatch, listBatches } from './service.ts';

export const resolvers = {
  Query: {
    batch: (_parent, { id }, context) => getBatch(context, id),
    batches: (_parent, args, context) => listBatches(context, args),
  },
  Mutation: {
    createBatch: (_parent, { input }, context) => createBatch(context, input),
    cancelBatch: (_parent, { id }, context) => cancelBatch(context, id),
  },
  Batch: {
    id: (batch) => batch._id,
    errors: ({ problems }) => (problems.length === 0 ? null : { object: 'list', data: problems }),
    requestCounts: ({ counts }) => counts,
    usage: ({ tokens: { input, output, cached, reasoning } }) => ({
      inputTokens: input,
      inputTokensDetails: { cachedTokens: cached },
      outputTokens: output,
      outputTokensDetails: { reasoningTokens: reasoning },
      totalTokens: input + output,
    }),
    cost: async (batch, _args, context) => cents(await costOf(context, batch)),
  },
} satisfies Resolvers;
