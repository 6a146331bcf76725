import { endOfStep, stepDetails } from '../../../runs/events/shapes.ts';
import { callsItemId } from '../../../runs/turn/steps.ts';
import { cents } from '../../insights/log-filters/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { messageById } from '../thread-message/index.ts';
import { logsOfStep } from './logs.ts';
import { callsByItemId, getStep, listSteps } from './service.ts';

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
    turn: ({ step }) => step.turn,
    message: ({ step }, _args, context) =>
      step.messageId === null ? null : messageById(context).load(step.messageId),
    status: ({ step }) => step.status,
    stepDetails: async ({ run, step, withContents }, _args, context) => {
      const calls =
        step.type === 'tool_calls' ? await callsByItemId(context).load(callsItemId(run._id, step.turn)) : [];
      return stepDetails(step, calls, withContents);
    },
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
    logIds: async (row, _args, context) => (await logsOfStep(context, row)).map(({ _id }) => _id),
    cost: async (row, _args, context) => {
      const costs = (await logsOfStep(context, row)).flatMap(({ costNanodollars }) => costNanodollars ?? []);
      return costs.length === 0 ? null : cents(costs.reduce((sum, cost) => sum + cost, 0));
    },
    createdAt: ({ step }) => step.createdAt,
  },
} satisfies Resolvers;
