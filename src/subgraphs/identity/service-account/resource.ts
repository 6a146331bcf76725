import type { Resource } from '../../subgraph.ts';
import { serviceAccountModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedServiceAccount } from './service.ts';

export const serviceAccount: Resource = {
  name: 'service-account',
  models: [serviceAccountModel],
  resolvers,
  references: { ServiceAccount: ({ id }, context) => referencedServiceAccount(context, id) },
};
