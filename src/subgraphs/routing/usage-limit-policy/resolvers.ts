import { shownUsageBehaviour } from '../../limits/behaviour.ts';
import { lastReset, nextPeriod } from '../../limits/periods.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { listEntities, resetEntity } from './entities.ts';
import type { UsageLimitPolicyDocument } from './model.ts';
import {
  createUsagePolicy,
  deleteUsagePolicy,
  getUsagePolicy,
  listUsagePolicies,
  updateUsagePolicy,
} from './service.ts';
import { countedUsageLimit, sinceItWasMade } from './to-limit.ts';
import { usageByValue } from './usage-map.ts';

const behaviour =
  <Name extends keyof ReturnType<typeof shownUsageBehaviour>>(name: Name) =>
  (policy: UsageLimitPolicyDocument) =>
    shownUsageBehaviour(policy)[name];

export const resolvers = {
  Query: {
    usageLimitPolicy: (_parent, { id, status }, context) => getUsagePolicy(context, id, status ?? null),
    usageLimitPolicies: (_parent, args, context) => listUsagePolicies(context, args),
    usageLimitPolicyEntities: (_parent, args, context) => listEntities(context, args),
  },
  Mutation: {
    createUsageLimitPolicy: (_parent, { input }, context) => createUsagePolicy(context, input),
    updateUsageLimitPolicy: (_parent, { id, input }, context) => updateUsagePolicy(context, id, input),
    resetUsageLimitPolicyEntity: (_parent, { policyId, id }, context) => resetEntity(context, policyId, id),
    deleteUsageLimitPolicy: (_parent, { id }, context) => deleteUsagePolicy(context, id),
  },
  UsageLimitPolicy: {
    id: (policy) => policy._id,
    limitId: (policy) => countedUsageLimit(policy).id,
    level: () => 'policy' as const,
    workspace: ({ workspaceId }) => ({ id: workspaceId }),
    nextUsageResetAt: (policy, _args, context) => nextPeriod(sinceItWasMade(policy), context.now()),
    lastResetAt: (policy, _args, context) => lastReset(sinceItWasMade(policy), context.now()),
    valueKeyUsageMap: (policy, _args, context) => (policy.isAlone ? usageByValue(context, policy) : null),
    enforcement: behaviour('enforcement'),
    waitMs: behaviour('waitMs'),
    unpriced: behaviour('unpriced'),
    onStoreLoss: behaviour('onStoreLoss'),
    onCrash: behaviour('onCrash'),
    onAbort: behaviour('onAbort'),
  },
} satisfies Resolvers;
