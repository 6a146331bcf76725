import { endOfStep, stepDetails } from '../../../runs/events/shapes.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { callsByStepId, getStep, listSteps } from './service.ts';

export const resolvers = {
  Query: {
    runStep: (_parent, { threadId, runId, id, include }, context) =>
      getStep(context, { threadId, runId }, { id, include }),
    runSteps: (_parent, args, context) => listSteps(context, args),
  },
  RunStep: {
    id: ({ step }) => step.id,
    assistantId: ({ run }) => run.assistantId,
    threadId: ({ run }) => run.threadId,
    runId: ({ run }) => run._id,
    type: ({ step }) => step.type,
    status: ({ step }) => step.status,
    stepDetails: async ({ step }, _args, context) =>
      stepDetails(step, step.type === 'tool_calls' ? await callsByStepId(context).load(step.id) : []),
    lastError: ({ step }) => step.lastError,
    expiresAt: ({ run }) => run.expiresAt,
    expiredAt: ({ step }) => endOfStep(step, 'expired'),
    cancelledAt: ({ step }) => endOfStep(step, 'cancelled'),
    failedAt: ({ step }) => endOfStep(step, 'failed'),
    completedAt: ({ step }) => endOfStep(step, 'completed'),
    metadata: () => ({}),
    usage: ({ step: { usage, status } }) =>
      usage && status !== 'in_progress'
        ? { ...usage, totalTokens: usage.promptTokens + usage.completionTokens }
        : null,
    createdAt: ({ step }) => step.createdAt,
  },
} satisfies Resolvers;
