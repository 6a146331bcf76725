import { GatewayError } from '../../../errors/index.ts';
import { slugFrom, tsgId, uuid } from '../../../lib/ids.ts';
import { isDuplicateBatch } from '../../../storage/duplicates.ts';
import type { GraphContext } from '../../context.ts';
import type { CreateTenantInput } from '../../types.generated.ts';
import { organisationModel } from '../organisation/index.ts';
import { requireWholeTenant } from '../permission.ts';
import { workspaceModel } from '../workspace/index.ts';
import { type TenantDocument, tenantModel } from './model.ts';
import { childrenOf, getTenant } from './service.ts';

/** The schema says so too. */
const maxChildren = 1000;
const maxLevels = 32;

/** The tenant itself comes last: what a creation that was cut off leaves behind, nobody can reach. */
export async function createTenant(context: GraphContext, { name }: CreateTenantInput) {
  const principal = requireWholeTenant(context.principal, 'iam.tenant');
  const parent = await getTenant(context, principal.tsgId);
  await requireRoom(context, parent);
  const organisationId = uuid();
  await organisationModel(context.db).create({ _id: organisationId, name });
  await workspaceModel(context.db).create({
    _id: uuid(),
    organisationId,
    slug: slugFrom('Default', 'ws-'),
    name: 'Default workspace',
    isDefault: 1,
  });
  const tenant = await insertTenant(context, { organisationId, name, ...childrenOf(parent) });
  await requireParent(context, parent, tenant);
  await context.changes.publish('tenant');
  return tenant;
}

async function requireRoom({ db }: GraphContext, parent: TenantDocument): Promise<void> {
  // The root has no ancestor and stands on the first level.
  if (parent.ancestors.length + 2 > maxLevels) {
    throw new GatewayError('VALIDATION_FAILED', { message: `A hierarchy has at most ${maxLevels} levels.` });
  }
  if ((await tenantModel(db).countDocuments(childrenOf(parent))) < maxChildren) return;
  throw new GatewayError('VALIDATION_FAILED', { message: `A tenant has at most ${maxChildren} children.` });
}

/** Ten random digits may be taken, if hardly ever twice in a row. */
async function insertTenant(
  context: GraphContext,
  members: Pick<TenantDocument, 'organisationId' | 'name' | 'ancestors'>,
  attempts = 3,
): Promise<TenantDocument> {
  try {
    const created = await tenantModel(context.db).create({ _id: tsgId(), ...members });
    return created.toObject<TenantDocument>();
  } catch (error) {
    if (attempts === 1 || !isDuplicateBatch(error)) throw error;
    return insertTenant(context, members, attempts - 1);
  }
}

/** A deletion of the parent that began meanwhile has not seen the child, so that the child takes itself back. */
async function requireParent(
  { db }: GraphContext,
  parent: TenantDocument,
  child: TenantDocument,
): Promise<void> {
  if (await tenantModel(db).exists({ _id: parent._id, isBeingDeleted: { $ne: true } })) return;
  await tenantModel(db).deleteOne({ _id: child._id });
  throw new GatewayError('NOT_FOUND', { message: 'The parent is being deleted.' });
}
