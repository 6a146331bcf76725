import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { accessPolicyModel, forgetPrincipals } from '../access-policy/index.ts';
import { inviteModel } from '../invite/index.ts';
import { memberModel } from '../member/index.ts';
import { organisationModel } from '../organisation/index.ts';
import { requireWholeTenant } from '../permission.ts';
import { roleModel } from '../role/index.ts';
import { groupMembershipModel, scimGroupModel } from '../scim-group/index.ts';
import { serviceAccountModel } from '../service-account/index.ts';
import { signInModel } from '../sign-in/index.ts';
import { signInLinkModel } from '../sign-in-link/index.ts';
import { userModel } from '../user/index.ts';
import { workspaceModel } from '../workspace/index.ts';
import { type TenantDocument, tenantModel } from './model.ts';
import { getTenant } from './service.ts';

const inUse = (message: string) => new GatewayError('IN_USE', { message });

/**
 * From the mark on no token for the tenant counts and no child can be made, so that what is looked at after it stays. The
 * tenant goes last: a deletion that was cut off can be asked for again.
 */
export async function deleteTenant(context: GraphContext, id: string): Promise<string> {
  const principal = requireWholeTenant(context.principal, 'iam.tenant');
  const tenant = await getTenant(context, id);
  if (id === principal.tsgId) {
    throw new GatewayError('FORBIDDEN', { message: 'A tenant is deleted with a token of one above it.' });
  }
  await requireEmpty(context, tenant);
  await mark(context, tenant, true);
  try {
    await requireEmpty(context, tenant);
  } catch (error) {
    await mark(context, tenant, false);
    throw error;
  }
  await removeContents(context, tenant);
  await tenantModel(context.db).deleteOne({ _id: id });
  for (const kind of ['tenant', 'workspace', 'organisation'] as const) await context.changes.publish(kind);
  return id;
}

async function requireEmpty(
  { db, organisationOwned }: GraphContext,
  { _id, organisationId }: TenantDocument,
) {
  if (await tenantModel(db).exists({ ancestors: _id })) {
    throw inUse('The tenant still has children; delete them first.');
  }
  for (const modelOf of organisationOwned) {
    const model = modelOf(db);
    // Access policies go with the tenant.
    if (modelOf === accessPolicyModel || !(await model.exists({ organisationId }))) continue;
    throw inUse(`The tenant still has entries in ${model.collection.collectionName}; remove them first.`);
  }
}

async function mark(context: GraphContext, { _id }: TenantDocument, isBeingDeleted: boolean): Promise<void> {
  await tenantModel(context.db).updateOne({ _id }, { isBeingDeleted });
  await context.changes.publish('tenant');
}

/** Credentials first, so that of a deletion that was cut off nothing usable is left. */
async function removeContents({ db }: GraphContext, { organisationId }: TenantDocument): Promise<void> {
  const principals: string[] = await serviceAccountModel(db).distinct('principal', { organisationId });
  await forgetPrincipals(db, principals);
  await serviceAccountModel(db).deleteMany({ organisationId });
  await accessPolicyModel(db).deleteMany({ organisationId });
  await inviteModel(db).deleteMany({ organisationId });
  await memberModel(db).deleteMany({ organisationId });
  await groupMembershipModel(db).deleteMany({ organisationId });
  await scimGroupModel(db).deleteMany({ organisationId });
  await signInModel(db).deleteMany({ organisationId });
  await signInLinkModel(db).deleteMany({ organisationId });
  await userModel(db).deleteMany({ organisationId });
  await roleModel(db).deleteMany({ organisationId });
  await workspaceModel(db).deleteMany({ organisationId });
  await organisationModel(db).deleteOne({ _id: organisationId });
}
