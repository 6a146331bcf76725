import type { Connection, QueryFilter } from 'mongoose';
import { builtInRoles } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { roleModel } from '../role/index.ts';
import { serviceAccountModel } from '../service-account/index.ts';
import { tenantModel } from '../tenant/index.ts';
import { type AccessPolicyDocument, accessPolicyModel } from './model.ts';

const permission = 'iam.access_policy';
const builtIn = [...builtInRoles].flatMap(([role, permissions]) =>
  permissions.includes(permission) ? [role] : [],
);

/** Milliseconds to wait for other removals. */
const PATIENCE = 5000;

/**
 * Runs a removal after which only the policies that `remaining` finds are left. Throws IN_USE where those let no service
 * account administer the policies of a root tenant: nobody could ever give that right again. A tenant further down is
 * always reached from above. Removals wait for each other, so that none counts on what another one takes away.
 */
export async function keepAdministrator<T>(
  { db, leases }: GraphContext,
  tsgId: string,
  remaining: QueryFilter<AccessPolicyDocument>,
  remove: () => Promise<T>,
): Promise<T> {
  if (!(await tenantModel(db).exists({ _id: tsgId, ancestors: [] }))) return remove();
  return leases.hold(db, `administrators ${tsgId}`, PATIENCE, async () => {
    await requireAdministrator(db, tsgId, remaining);
    return remove();
  });
}

async function requireAdministrator(
  db: Connection,
  tsgId: string,
  remaining: QueryFilter<AccessPolicyDocument>,
): Promise<void> {
  const own = await roleModel(db).distinct('_id', { tsgId, permissions: permission });
  const principals: string[] = await accessPolicyModel(db).distinct('principal', {
    $and: [{ tsgId, workspaceId: null, role: { $in: [...builtIn, ...own] } }, remaining],
  });
  if (await serviceAccountModel(db).exists({ principal: { $in: principals } })) return;
  throw new GatewayError('IN_USE', {
    message: `Afterwards no service account could administer the tenant's access policies; give another one a role with ${permission} on prn:${tsgId}:::: first.`,
  });
}
