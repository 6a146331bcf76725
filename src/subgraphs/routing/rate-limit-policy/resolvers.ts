import { shownRateBehaviour } from '../../limits/behaviour.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import type { RateLimitPolicyDocument } from './model.ts';
import {
  createRatePolicy,
  deleteRatePolicy,
  getRatePolicy,
  listRatePolicies,
  updateRatePolicy,
} from './service.ts';
import { countedRateLimit } from './to-limit.ts';

const behaviour =
  <Name extends keyof ReturnType<typeof shownRateBehaviour>>(name: Name) =>
  (policy: RateLimitPolicyDocument) =>
    shownRateBehaviour(policy)[name];

export const resolvers = {
  Query: {
    rateLimitPolicy: (_parent, { id, status }, context) => getRatePolicy(context, id, status ?? null),
    rateLimitPolicies: (_parent, args, context) => listRatePolicies(context, args),
  },
  Mutation: {
    createRateLimitPolicy: (_parent, { input }, context) => createRatePolicy(context, input),
    updateRateLimitPolicy: (_parent, { id, input }, context) => updateRatePolicy(context, id, input),
    deleteRateLimitPolicy: (_parent, { id }, context) => deleteRatePolicy(context, id),
  },
  RateLimitPolicy: {
    id: (policy) => policy._id,
    limitId: (policy) => countedRateLimit(policy).id,
    level: () => 'policy' as const,
    workspace: ({ workspaceId }) => ({ id: workspaceId }),
    window: behaviour('window'),
    enforcement: behaviour('enforcement'),
    waitMs: behaviour('waitMs'),
    onStoreLoss: behaviour('onStoreLoss'),
  },
} satisfies Resolvers;
