import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { QueryTenantsArgs, UpdateTenantInput } from '../../types.generated.ts';
import { requireWholeTenant } from '../permission.ts';
import { tenantById, visibleTenants } from './loaders.ts';
import { type TenantDocument, tenantModel } from './model.ts';

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The tenant does not exist.' });

export async function getTenant(context: GraphContext, id: string): Promise<TenantDocument> {
  const found = await referencedTenant(context, id);
  if (!found) throw notFound();
  return found;
}

/** For references from other resources: null when the tenant is gone or not below the token's. */
export async function referencedTenant(context: GraphContext, id: string): Promise<TenantDocument | null> {
  requireWholeTenant(context.principal, 'iam.tenant');
  return tenantById(context).load(id);
}

export async function listTenants(context: GraphContext, args: QueryTenantsArgs & PageArguments) {
  const principal = requireWholeTenant(context.principal, 'iam.tenant');
  return findPage(
    tenantModel(context.db),
    {
      $and: [
        visibleTenants(principal),
        args.parentId ? childrenOf(await getTenant(context, args.parentId)) : {},
        resourceFilter(args),
      ],
    },
    args,
  );
}

/** The direct ones. */
export const childrenOf = ({ _id, ancestors }: Pick<TenantDocument, '_id' | 'ancestors'>) => ({
  ancestors: [...ancestors, _id],
});

export async function updateTenant(context: GraphContext, id: string, input: UpdateTenantInput) {
  const principal = requireWholeTenant(context.principal, 'iam.tenant');
  const updated = await tenantModel(context.db)
    .findOneAndUpdate(
      { $and: [{ _id: id }, visibleTenants(principal)] },
      { ...(input.name != null && { name: input.name }) },
      { returnDocument: 'after' },
    )
    .lean<TenantDocument>();
  if (!updated) throw notFound();
  await context.changes.publish('tenant');
  return updated;
}
