import type { Resource } from '../../subgraph.ts';
import { accessPolicyModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedAccessPolicy } from './service.ts';

export const accessPolicy: Resource = {
  name: 'access-policy',
  models: [accessPolicyModel],
  ownedByWorkspace: true,
  resolvers,
  references: { AccessPolicy: ({ id }, context) => referencedAccessPolicy(context, id) },
};
