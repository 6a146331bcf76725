import type { Resource } from '../../subgraph.ts';
import { usageLimitPolicyModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedUsagePolicy } from './service.ts';

export const usageLimitPolicy: Resource = {
  name: 'usage-limit-policy',
  models: [usageLimitPolicyModel],
  goesWithWorkspace: true,
  resolvers,
  references: { UsageLimitPolicy: ({ id }, context) => referencedUsagePolicy(context, id) },
};
