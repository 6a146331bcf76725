import type { Resource } from '../../subgraph.ts';
import { rateLimitPolicyModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedRatePolicy } from './service.ts';

export const rateLimitPolicy: Resource = {
  name: 'rate-limit-policy',
  models: [rateLimitPolicyModel],
  goesWithWorkspace: true,
  resolvers,
  references: { RateLimitPolicy: ({ id }, context) => referencedRatePolicy(context, id) },
};
