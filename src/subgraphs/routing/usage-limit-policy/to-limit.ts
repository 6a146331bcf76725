import type { Limit } from '../../../limits/limit.ts';
import { usageLimitOf } from '../../limits/to-limit.ts';
import { type PolicyWorkspace, policyFacts, policyOwner } from '../limit-policy/index.ts';
import type { UsageLimitPolicyDocument } from './model.ts';

export const limitOfUsagePolicy = (policy: UsageLimitPolicyDocument, workspace: PolicyWorkspace): Limit => ({
  ...usageLimitOf(policyOwner(policy), sinceItWasMade(policy)),
  ...policyFacts(policy, workspace),
});

/** The limit as its counters know it: conditions play no part there. */
export const countedUsageLimit = (policy: UsageLimitPolicyDocument): Limit =>
  limitOfUsagePolicy(policy, { _id: policy.workspaceId, slug: policy.workspaceId });

export const sinceItWasMade = (policy: UsageLimitPolicyDocument) => ({ ...policy, since: policy.createdAt });
