import type { Resolvers } from '../resolvers.generated.ts';
import { createTenant } from './create.ts';
import { deleteTenant } from './delete.ts';
import { tenantById } from './loaders.ts';
import type { TenantDocument } from './model.ts';
import { getTenant, listTenants, updateTenant } from './service.ts';

const parentOf = ({ ancestors }: TenantDocument) => ancestors.at(-1) ?? null;

export const resolvers = {
  Query: {
    tenant: (_parent, { id }, context) => getTenant(context, id),
    tenants: (_parent, args, context) => listTenants(context, args),
  },
  Mutation: {
    createTenant: (_parent, { input }, context) => createTenant(context, input),
    updateTenant: (_parent, { id, input }, context) => updateTenant(context, id, input),
    deleteTenant: (_parent, { id }, context) => deleteTenant(context, id),
  },
  Tenant: {
    id: (tenant) => tenant._id,
    parentId: parentOf,
    parent: (tenant, _args, context) => {
      const id = parentOf(tenant);
      return id ? tenantById(context).load(id) : null;
    },
  },
} satisfies Resolvers;
