import { tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type {
  CreateServiceAccountInput,
  QueryServiceAccountsArgs,
  UpdateServiceAccountInput,
} from '../../types.generated.ts';
import { ifUnchanged, notWritten, orAlreadyExists } from '../../writes.ts';
import { forgetPrincipals, keepAdministrator, permissionsGivenTo } from '../access-policy/index.ts';
import { requireHeld, requireWholeTenant, type TenantPrincipal } from '../permission.ts';
import { serviceAccountById } from './loaders.ts';
import { type ServiceAccountDocument, serviceAccountModel } from './model.ts';

type ListArguments = QueryServiceAccountsArgs & SortedPageArguments;

const permission = 'iam.service_account';
const notFound = () => new GatewayError('NOT_FOUND', { message: 'The service account does not exist.' });

export async function getServiceAccount(context: GraphContext, id: string): Promise<ServiceAccountDocument> {
  const found = await referencedServiceAccount(context, id);
  if (!found) throw notFound();
  return found;
}

/** For references from other resources: null when the account is gone or another tenant's. */
export async function referencedServiceAccount(
  context: GraphContext,
  id: string,
): Promise<ServiceAccountDocument | null> {
  requireWholeTenant(context.principal, permission);
  return serviceAccountById(context).load(id);
}

export async function listServiceAccounts(context: GraphContext, args: ListArguments) {
  const principal = requireWholeTenant(context.principal, permission);
  return findPage(
    serviceAccountModel(context.db),
    { ...tenantFilter(principal), ...resourceFilter(args) },
    args,
    orderOf(args.sort),
  );
}

/** The answer is the only place where the secret stands. */
export async function createServiceAccount(context: GraphContext, input: CreateServiceAccountInput) {
  const caller = requireWholeTenant(context.principal, permission);
  const { tsgId, organisationId } = caller;
  const principal = `${input.name}@${tsgId}.iam.${context.identity.serviceAccountDomain}`;
  await requireHolds(context, caller, principal, 'get the secret');
  const clientSecret = context.secrets.generateKey();
  const created = await orAlreadyExists(
    serviceAccountModel(context.db).create({
      _id: uuid(),
      tsgId,
      organisationId,
      name: input.name,
      principal,
      description: input.description ?? null,
      secretHash: context.secrets.hash(clientSecret),
      secretVersion: 1,
    }),
    { message: `The tenant already has a service account ${input.name}.`, param: 'name' },
  );
  await context.changes.publish('service_account');
  return credentialOf(created.toObject<ServiceAccountDocument>(), clientSecret);
}

export async function updateServiceAccount(
  context: GraphContext,
  id: string,
  input: UpdateServiceAccountInput,
) {
  const caller = requireWholeTenant(context.principal, permission);
  const { principal } = await getServiceAccount(context, id);
  await requireHolds(context, caller, principal, 'change the description');
  const updated = await serviceAccountModel(context.db)
    .findOneAndUpdate(
      { _id: id, ...tenantFilter(caller), ...ifUnchanged(context) },
      { ...(input.description !== undefined && { description: input.description }) },
      { returnDocument: 'after' },
    )
    .lean<ServiceAccountDocument>();
  if (!updated) throw notWritten(context, notFound());
  await context.changes.publish('service_account');
  return updated;
}

export async function resetServiceAccountSecret(context: GraphContext, id: string) {
  const caller = requireWholeTenant(context.principal, permission);
  const account = await getServiceAccount(context, id);
  await requireHolds(context, caller, account.principal, 'get the secret');
  const clientSecret = context.secrets.generateKey();
  const updated = await serviceAccountModel(context.db)
    .findOneAndUpdate(
      { _id: id, ...tenantFilter(caller) },
      { $set: { secretHash: context.secrets.hash(clientSecret) }, $inc: { secretVersion: 1 } },
      { returnDocument: 'after' },
    )
    .lean<ServiceAccountDocument>();
  if (!updated) throw notFound();
  await context.changes.publish('service_account');
  return credentialOf(updated, clientSecret);
}

/** Policies go first: a deletion that is cut off leaves an account without any role, which can be deleted again. */
export async function deleteServiceAccount(context: GraphContext, id: string): Promise<string> {
  const caller = requireWholeTenant(context.principal, permission);
  const { _id, organisationId, tsgId, principal } = await getServiceAccount(context, id);
  await requireHolds(context, caller, principal, 'delete the account');
  await keepAdministrator(context, tsgId, { principal: { $ne: principal } }, async () => {
    if (context.unchangedSince) await markDeleting(context, { _id, organisationId });
    await forgetPrincipals(context.db, [principal]);
  });
  const { deletedCount } = await serviceAccountModel(context.db).deleteOne({ _id, organisationId });
  if (deletedCount === 0) throw notFound();
  await context.changes.publish('service_account');
  return _id;
}

/** The first write of a deletion, which finds out whether the account is as it was. */
async function markDeleting(context: GraphContext, account: { _id: string; organisationId: string }) {
  const { matchedCount } = await serviceAccountModel(context.db).updateOne(
    { ...account, ...ifUnchanged(context) },
    { lastUpdatedAt: context.now() },
  );
  if (matchedCount === 0) throw notWritten(context, notFound());
}

/** Who learns an account's secret can do all that it may, on whatever tenant: it must be nothing new to them. */
async function requireHolds(context: GraphContext, caller: TenantPrincipal, principal: string, act: string) {
  const permissions = await permissionsGivenTo(context.db, principal);
  requireHeld(caller, permissions, `${act} of ${principal}, to which access policies give more`);
}

const credentialOf = (serviceAccount: ServiceAccountDocument, clientSecret: string) => ({
  id: serviceAccount._id,
  clientSecret,
  serviceAccount,
});
