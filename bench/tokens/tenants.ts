import type { Connection } from 'mongoose';
import { tsgId, uuid } from '../../src/lib/ids.ts';
import { accessPolicyModel } from '../../src/subgraphs/identity/access-policy/index.ts';
import { serviceAccountModel } from '../../src/subgraphs/identity/service-account/index.ts';
import { type TenantDocument, tenantModel } from '../../src/subgraphs/identity/tenant/index.ts';

export const LEVELS = 5;
const BATCH = 1000;

type Tenant = Pick<TenantDocument, '_id' | 'organisationId' | 'ancestors' | 'name'>;

/**
 * Brings the tenants below `root` to a number, evenly on five levels, each with an account of its own and a policy for
 * it; answers the id of one on the last level.
 */
export async function growTo(db: Connection, root: string, total: number): Promise<string> {
  const present = await tenantModel(db).find({ ancestors: root }).lean<TenantDocument[]>();
  const levels = Array.from({ length: LEVELS + 1 }, (): Tenant[] => []);
  levels[0]?.push({ _id: root, organisationId: '', ancestors: [], name: 'Root' });
  for (const tenant of present) levels[tenant.ancestors.length]?.push(tenant);
  const added: Tenant[] = [];
  for (let number = present.length; number < total; number++) {
    const level = (number % LEVELS) + 1;
    const above = levels[level - 1] ?? [];
    const parent = above[number % above.length];
    if (!parent) throw new Error(`Level ${level - 1} has no tenant yet.`);
    const tenant = {
      _id: tsgId(),
      organisationId: uuid(),
      ancestors: [...parent.ancestors, parent._id],
      name: `Tenant ${number}`,
    };
    levels[level]?.push(tenant);
    added.push(tenant);
  }
  for (let start = 0; start < added.length; start += BATCH)
    await insert(db, added.slice(start, start + BATCH));
  const [deepest] = levels[LEVELS] ?? [];
  if (!deepest) throw new Error(`${total} tenants have no level ${LEVELS}.`);
  return deepest._id;
}

async function insert(db: Connection, tenants: Tenant[]): Promise<void> {
  const principal = ({ _id }: Tenant) => `robot@${_id}.iam.sluice.local`;
  await tenantModel(db).insertMany(tenants);
  await serviceAccountModel(db).insertMany(
    tenants.map((tenant) => ({
      _id: uuid(),
      tsgId: tenant._id,
      organisationId: tenant.organisationId,
      name: 'robot',
      principal: principal(tenant),
      secretHash: uuid(),
    })),
  );
  await accessPolicyModel(db).insertMany(
    tenants.map((tenant) => ({
      _id: uuid(),
      tsgId: tenant._id,
      organisationId: tenant.organisationId,
      principal: principal(tenant),
      role: 'view_only_admin',
      resource: `prn:${tenant._id}::::`,
    })),
  );
}
