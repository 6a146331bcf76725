import type { Resource } from '../../subgraph.ts';
import { visibleTenants } from './loaders.ts';
import { tenantModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedTenant } from './service.ts';

export const tenant: Resource = {
  name: 'tenant',
  models: [tenantModel],
  reach: visibleTenants,
  resolvers,
  references: { Tenant: ({ id }, context) => referencedTenant(context, id) },
};
