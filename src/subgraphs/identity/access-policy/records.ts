import type { Connection } from 'mongoose';
import { type Permission, type SwitchStates, switchStates } from '../../../auth/index.ts';
import type { AccountRecord } from '../../../directory/memory.ts';
import { organisationSettings } from '../organisation/index.ts';
import { loadPermissions } from '../role/index.ts';
import { type ServiceAccountDocument, serviceAccountModel } from '../service-account/index.ts';
import { type TenantDocument, tenantModel } from '../tenant/index.ts';
import { type AccessPolicyDocument, accessPolicyModel } from './model.ts';

type Policy = Pick<AccessPolicyDocument, 'principal' | 'tsgId' | 'workspaceId' | 'role'>;
type Account = Omit<ServiceAccountDocument, 'secretHash'>;
type Pair = { id: string; account: Account; tenant: TenantDocument };

/**
 * Service accounts on tenants, by `<client id>/<tsg id>`: what they may do there at this moment. Missing are pairs of
 * which one does not exist or where the account holds no role. The reads are as many for one pair as for five hundred,
 * and a hierarchy costs its depth, not its size.
 */
export async function loadAccountRecords(db: Connection, ids: string[]): Promise<Map<string, AccountRecord>> {
  const pairs = await pairsOf(db, ids);
  const policies = await accessPolicyModel(db)
    .find(
      {
        principal: { $in: [...new Set(pairs.map(({ account }) => account.principal))] },
        tsgId: { $in: [...new Set(pairs.flatMap(lineOf))] },
      },
      { principal: 1, tsgId: 1, workspaceId: 1, role: 1 },
    )
    .lean<Policy[]>();
  const permissionsOf = await loadPermissions(
    db,
    policies.map(({ role }) => role),
  );
  const settings = await organisationSettings(
    db,
    pairs.map(({ tenant }) => tenant.organisationId),
  );
  return new Map(
    pairs.flatMap((pair) => {
      const states = switchStates(settings.get(pair.tenant.organisationId));
      const record = toRecord(pair, policies, permissionsOf, states);
      return record.grants.length > 0 ? [[pair.id, record] as const] : [];
    }),
  );
}

async function pairsOf(db: Connection, ids: string[]): Promise<Pair[]> {
  const named = ids.map((id) => {
    const [clientId = '', tsgId = ''] = id.split('/');
    return { id, clientId, tsgId };
  });
  const accounts = byId(
    await serviceAccountModel(db)
      .find({ _id: { $in: named.map(({ clientId }) => clientId) } }, { secretHash: 0 })
      .lean<Account[]>(),
  );
  const tenants = byId(
    await tenantModel(db)
      .find({ _id: { $in: named.map(({ tsgId }) => tsgId) }, isBeingDeleted: { $ne: true } })
      .lean<TenantDocument[]>(),
  );
  return named.flatMap(({ id, clientId, tsgId }) => {
    const account = accounts.get(clientId);
    const tenant = tenants.get(tsgId);
    return account && tenant ? [{ id, account, tenant }] : [];
  });
}

const byId = <T extends { _id: string }>(documents: T[]) =>
  new Map(documents.map((document) => [document._id, document]));

/**
 * The tenants whose policies count for an account on a tenant: from the account's own down to it. Where the account
 * stands neither in it nor above it, only the tenant's own policies do.
 */
function lineOf({ account, tenant }: Pick<Pair, 'account' | 'tenant'>): string[] {
  const line = [...tenant.ancestors, tenant._id];
  const own = line.indexOf(account.tsgId);
  return own < 0 ? [tenant._id] : line.slice(own);
}

function toRecord(
  pair: Pair,
  policies: Policy[],
  permissionsOf: (role: string) => readonly Permission[] | undefined,
  switches: SwitchStates,
): AccountRecord {
  const { account, tenant } = pair;
  const line = new Set(lineOf(pair));
  const grants = policies.flatMap(({ principal, tsgId, workspaceId, role }) => {
    if (principal !== account.principal || !line.has(tsgId)) return [];
    // A workspace belongs to one tenant: what is given on it goes no further down.
    if (workspaceId !== null && tsgId !== tenant._id) return [];
    const permissions = permissionsOf(role);
    return permissions ? [{ workspaceId, role, permissions }] : [];
  });
  return {
    clientId: account._id,
    name: account.principal,
    secretVersion: account.secretVersion,
    tsgId: tenant._id,
    organisationId: tenant.organisationId,
    grants,
    switches,
  };
}
