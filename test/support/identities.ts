import { slugFrom, tsgId, uuid } from '../../src/lib/ids.ts';
import type { Secrets } from '../../src/storage/secrets.ts';
import { accessPolicyModel } from '../../src/subgraphs/identity/access-policy/index.ts';
import { organisationModel } from '../../src/subgraphs/identity/organisation/index.ts';
import { serviceAccountModel } from '../../src/subgraphs/identity/service-account/index.ts';
import { type TenantDocument, tenantModel } from '../../src/subgraphs/identity/tenant/index.ts';
import { workspaceModel } from '../../src/subgraphs/identity/workspace/index.ts';
import type { TestApp } from './app.ts';

export type Account = { clientId: string; clientSecret: string; principal: string; tsgId: string };

/** Tenants, workspaces, accounts and policies, put into the database of an app as they stand there. */
export function identitiesOf({ db }: TestApp, secrets: Secrets) {
  return {
    /** A tenant below another one, or a root, with an organisation of its own. */
    async tenant(parent?: TenantDocument): Promise<TenantDocument> {
      const organisationId = uuid();
      await organisationModel(db).create({ _id: organisationId, name: 'Made' });
      const ancestors = parent ? [...parent.ancestors, parent._id] : [];
      const tenant = await tenantModel(db).create({ _id: tsgId(), organisationId, ancestors, name: 'Made' });
      return tenant.toObject();
    },
    async workspace({ organisationId }: { organisationId: string }): Promise<string> {
      const workspace = { organisationId, slug: slugFrom('Made', 'ws-'), name: 'Made', defaults: null };
      const { _id } = await workspaceModel(db).create({ _id: uuid(), ...workspace });
      return _id;
    },
    async account({ _id, organisationId }: TenantDocument): Promise<Account> {
      const [clientId, clientSecret] = [uuid(), secrets.generateKey()];
      const name = slugFrom('robot');
      const principal = `${name}@${_id}.iam.sluice.local`;
      await serviceAccountModel(db).create({
        _id: clientId,
        tsgId: _id,
        organisationId,
        name,
        principal,
        secretHash: secrets.hash(clientSecret),
      });
      return { clientId, clientSecret, principal, tsgId: _id };
    },
    /** Answers the policy's id. */
    async policy(
      { principal }: Pick<Account, 'principal'>,
      role: string,
      on: TenantDocument,
      workspaceId: string | null = null,
    ): Promise<string> {
      const { _id } = await accessPolicyModel(db).create({
        _id: uuid(),
        tsgId: on._id,
        organisationId: on.organisationId,
        workspaceId,
        principal,
        role,
        resource: `prn:${on._id}::::${workspaceId ?? ''}`,
      });
      return _id;
    },
  };
}
