import type { Connection, QueryFilter } from 'mongoose';
import { builtInRoles } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { roleModel } from '../role/index.ts';
import { serviceAccountModel } from '../service-account/index.ts';
import { tenantModel } from '../tenant/index.ts';
import { type AccessPolicyDocument, accessPolicyModel } from './model.ts';

const permission = 'iam.access_policy';
const builtIn = [...builtInRoles].flatMap(([role, permissions]) =>
  permissions.includes(permission) ? [role] : [],
);

/**
 * Throws IN_USE where the policies that `remaining` leaves let no service account administer the policies of a root
 * tenant: nobody could ever give that right again. A tenant further down is always reached from above. Of two removals at
 * the same moment each sees the other's policy.
 */
export async function requireAdministrator(
  db: Connection,
  tsgId: string,
  remaining: QueryFilter<AccessPolicyDocument>,
): Promise<void> {
  if (!(await tenantModel(db).exists({ _id: tsgId, ancestors: [] }))) return;
  const own = await roleModel(db).distinct('_id', { tsgId, permissions: permission });
  const principals: string[] = await accessPolicyModel(db).distinct('principal', {
    $and: [{ tsgId, workspaceId: null, role: { $in: [...builtIn, ...own] } }, remaining],
  });
  if (await serviceAccountModel(db).exists({ principal: { $in: principals } })) return;
  throw new GatewayError('IN_USE', {
    message: `Afterwards no service account could administer the tenant's access policies; give another one a role with ${permission} on prn:${tsgId}:::: first.`,
  });
}
