import type { Connection } from 'mongoose';
import { type Permission, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { CreateAccessPolicyInput, QueryAccessPoliciesArgs } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { requireHeld, requireTenantPermission } from '../permission.ts';
import { loadPermissions } from '../role/index.ts';
import { workspaceIdFor } from '../workspace/index.ts';
import { keepAdministrator } from './administrators.ts';
import { parsePrincipal, parseResource, parseRole } from './input.ts';
import { accessPolicyById } from './loaders.ts';
import { type AccessPolicyDocument, accessPolicyModel } from './model.ts';

const permission = 'iam.access_policy';

export async function getAccessPolicy(context: GraphContext, id: string): Promise<AccessPolicyDocument> {
  const found = await referencedAccessPolicy(context, id);
  if (!found) throw new GatewayError('NOT_FOUND', { message: 'The access policy does not exist.' });
  return found;
}

/** For references from other resources: null when the policy is gone or out of the credential's reach. */
export async function referencedAccessPolicy(
  context: GraphContext,
  id: string,
): Promise<AccessPolicyDocument | null> {
  requireTenantPermission(context.principal, permission);
  return accessPolicyById(context).load(id);
}

export async function listAccessPolicies(
  context: GraphContext,
  args: QueryAccessPoliciesArgs & PageArguments,
) {
  const principal = requireTenantPermission(context.principal, permission);
  return findPage(
    accessPolicyModel(context.db),
    {
      ...tenantFilter(principal),
      ...(args.workspaceId && { workspaceId: await workspaceIdFor(context, args.workspaceId) }),
      ...(args.principal && { principal: args.principal.toLowerCase() }),
      ...(args.role && { role: args.role }),
    },
    args,
  );
}

export async function createAccessPolicy(context: GraphContext, input: CreateAccessPolicyInput) {
  const principal = requireTenantPermission(context.principal, permission);
  const { tsgId, organisationId } = principal;
  const named = parsePrincipal(context, input.principal);
  const workspaceId = await parseResource(context, principal, input.resource);
  const permissions = await parseRole(context, principal, input.role);
  requireHeld(principal, permissions, 'give this role', 'input.role');
  const created = await orAlreadyExists(
    accessPolicyModel(context.db).create({
      _id: uuid(),
      tsgId,
      organisationId,
      workspaceId,
      principal: named,
      role: input.role,
      resource: input.resource,
    }),
    { message: 'The principal already holds this role on this resource.' },
  );
  await context.changes.publish('access_policy');
  return created.toObject<AccessPolicyDocument>();
}

export async function deleteAccessPolicy(context: GraphContext, id: string): Promise<string> {
  const principal = requireTenantPermission(context.principal, permission);
  const { _id, organisationId, tsgId, workspaceId, role } = await getAccessPolicy(context, id);
  const permissionsOf = await loadPermissions(context.db, [role]);
  requireHeld(principal, permissionsOf(role) ?? [], 'remove this access policy, which gives more');
  const remove = () => accessPolicyModel(context.db).deleteOne({ _id, organisationId });
  const { deletedCount } = await (workspaceId === null
    ? keepAdministrator(context, tsgId, { _id: { $ne: _id } }, remove)
    : remove());
  if (deletedCount === 0) throw new GatewayError('NOT_FOUND', { message: 'The access policy is gone.' });
  await context.changes.publish('access_policy');
  return _id;
}

export const isRoleGiven = async (db: Connection, role: string): Promise<boolean> =>
  (await accessPolicyModel(db).exists({ role })) !== null;

/** All that access policies give to a principal, on whatever tenant. */
export async function permissionsGivenTo(db: Connection, principal: string): Promise<Permission[]> {
  const roles: string[] = await accessPolicyModel(db).distinct('role', { principal });
  const permissionsOf = await loadPermissions(db, roles);
  return [...new Set(roles.flatMap((role) => permissionsOf(role) ?? []))];
}

/** Takes everything from principals that are no more, so that nobody of the same name inherits it. */
export const forgetPrincipals = async (db: Connection, principals: readonly string[]): Promise<void> => {
  await accessPolicyModel(db).deleteMany({ principal: { $in: principals } });
};
