import { requiredAction } from '../../../runs/events/shapes.ts';
import type { TokenCounts } from '../../../runs/items.ts';
import { isEnded, shownExpiry } from '../../../runs/run.ts';
import type { SubscriptionResolvers } from '../../subgraph.ts';
import type { SubscriptionRunEventsArgs } from '../../types.generated.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { createRun, createThreadAndRun } from './create.ts';
import { getRun } from './find.ts';
import { followRun } from './follow.ts';
import { cancelRun, listRuns, submitToolOutputs, updateRun } from './service.ts';

const usageOf = (usage: TokenCounts | null) =>
  usage && { ...usage, totalTokens: usage.promptTokens + usage.completionTokens };

export const resolvers = {
  Query: {
    run: (_parent, { threadId, id }, context) => getRun(context, threadId, id),
    runs: (_parent, args, context) => listRuns(context, args),
  },
  Mutation: {
    createRun: (_parent, { threadId, include, input }, context) =>
      createRun(context, threadId, { ...input, include }),
    createThreadAndRun: (_parent, { input }, context) => createThreadAndRun(context, input),
    updateRun: (_parent, { threadId, id, input }, context) =>
      updateRun(context, { threadId, id }, input ?? {}),
    cancelRun: (_parent, { threadId, id }, context) => cancelRun(context, { threadId, id }),
    submitToolOutputs: (_parent, { threadId, runId, input }, context) =>
      submitToolOutputs(context, { threadId, id: runId }, input),
  },
  Subscription: {
    runEvents: (_parent, { threadId, runId, startingAfter: id }: SubscriptionRunEventsArgs, context) =>
      followRun(context, { threadId, id: runId }, { param: 'startingAfter', id }),
  },
  RunEvent: { id: ({ id }) => id ?? null },
  Run: {
    id: (run) => run._id,
    steps: (run) => run.steps.map((step) => ({ run, step, withContents: false })),
    requiredAction: (run) => requiredAction(run),
    expiresAt: (run) => shownExpiry(run),
    incompleteDetails: ({ incompleteReason: reason }) => (reason === null ? null : { reason }),
    usage: (run) => (isEnded(run) ? usageOf(run.usage) : null),
  },
} satisfies Resolvers & SubscriptionResolvers;
