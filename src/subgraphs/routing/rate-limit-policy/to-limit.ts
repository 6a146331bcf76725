import type { Limit } from '../../../limits/limit.ts';
import { rateLimitOf } from '../../limits/to-limit.ts';
import { type PolicyWorkspace, policyFacts, policyOwner } from '../limit-policy/index.ts';
import type { RateLimitPolicyDocument } from './model.ts';

export const limitOfRatePolicy = (policy: RateLimitPolicyDocument, workspace: PolicyWorkspace): Limit => ({
  ...rateLimitOf(policyOwner(policy), { ...policy, since: policy.createdAt }),
  ...policyFacts(policy, workspace),
  target: policy.target,
});

/** The limit as its counters know it: conditions play no part there. */
export const countedRateLimit = (policy: RateLimitPolicyDocument): Limit =>
  limitOfRatePolicy(policy, { _id: policy.workspaceId, slug: policy.workspaceId });
