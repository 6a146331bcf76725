import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from 'mongoose';
import { type ApiKeyType, scopesFor } from '../src/auth/index.ts';
import { slugFrom, tsgId, uuid } from '../src/lib/ids.ts';
import { maskSecret, type Secrets } from '../src/storage/secrets.ts';
import { integrationModel } from '../src/subgraphs/catalog/integration/index.ts';
import { providerModel } from '../src/subgraphs/catalog/provider/index.ts';
import { accessPolicyModel } from '../src/subgraphs/identity/access-policy/index.ts';
import { apiKeyModel } from '../src/subgraphs/identity/api-key/index.ts';
import { organisationModel } from '../src/subgraphs/identity/organisation/index.ts';
import { serviceAccountModel } from '../src/subgraphs/identity/service-account/index.ts';
import { tenantModel } from '../src/subgraphs/identity/tenant/index.ts';
import { workspaceModel } from '../src/subgraphs/identity/workspace/index.ts';

/** What a first start makes, as it stands in `DATA_DIR/bootstrap.json`. The only place where its secrets are readable. */
export type Bootstrap = {
  base_url: string;
  graphql_url: string;
  organisation_id: string;
  workspace_id: string;
  admin_api_key: string;
  workspace_api_key: string;
  /** The tenant, and the service account that asks for access tokens in its name. */
  tsg_id: string;
  client_id: string;
  client_secret: string;
};

type Installation = { _id: 'installation'; seedOwner?: string; seededAt?: Date };

/**
 * Seeds an empty database: an organisation, a workspace, an admin key, a workspace key, the `mock` provider, and the
 * tenant with its first service account. The keys are written to a draft first and the documents are made from it, so that
 * a start that was killed half-way is completed by the next one; the file takes its name when its keys work. An
 * installation that was seeded before there were tenants gets its own in the same way. Answers what the file says, or null
 * when another process seeded this database.
 */
export async function bootstrap(options: {
  db: Connection;
  secrets: Secrets;
  dataDirectory: string;
  url: string;
  serviceAccountDomain: string;
}): Promise<Bootstrap | null> {
  const { db, secrets, dataDirectory, url, serviceAccountDomain } = options;
  const file = join(dataDirectory, 'bootstrap.json');
  const draft = `${file}.draft`;
  // A draft was made from the file, and may know what the file does not say yet.
  const drafted = await readBootstrap(draft);
  const saved = await readBootstrap(file);
  const known = drafted ?? saved;
  const urls = { base_url: `${url}/v1`, graphql_url: `${url}/graphql` };
  const content: Bootstrap = known
    ? { ...(known.tsg_id === undefined ? { ...known, ...newAccount(secrets) } : known), ...urls }
    : {
        ...urls,
        organisation_id: uuid(),
        workspace_id: uuid(),
        admin_api_key: secrets.generateKey(),
        workspace_api_key: secrets.generateKey(),
        ...newAccount(secrets),
      };
  const installations = db.collection<Installation>('installation');
  const owner = (await installations.findOne({ _id: 'installation' }))?.seedOwner;
  if (owner !== undefined && owner !== content.organisation_id) return null;
  // A start with nothing to write down needs no room on the disk.
  const isSaved = drafted === null && isDeepStrictEqual(saved, content);
  if (!isSaved) await writeBootstrap(draft, content);
  // The first process to come with a database that nobody seeded yet is the one to do it.
  await installations.updateOne(
    { _id: 'installation', seedOwner: { $exists: false } },
    { $set: { seedOwner: content.organisation_id } },
  );
  const installation = await installations.findOne({ _id: 'installation' });
  if (installation?.seedOwner !== content.organisation_id) {
    await rm(draft, { force: true });
    return null;
  }
  if (!installation.seededAt) {
    await seedTenant(db, secrets, content, serviceAccountDomain);
    await installations.updateOne({ _id: 'installation' }, { $set: { seededAt: new Date() } });
  } else if (!(await tenantModel(db).exists({ _id: content.tsg_id }))) {
    await seedAccount(db, secrets, content, serviceAccountDomain, 'Default');
  }
  if (!isSaved) await rename(draft, file);
  return content;
}

/** A file of an installation that was seeded before there were tenants. */
type OldBootstrap = Omit<Bootstrap, 'tsg_id' | 'client_id' | 'client_secret'> & { tsg_id?: undefined };

async function readBootstrap(file: string): Promise<Bootstrap | OldBootstrap | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Bootstrap | OldBootstrap;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${file} cannot be read: ${(error as Error).message}`);
  }
}

async function writeBootstrap(file: string, content: Bootstrap): Promise<void> {
  // A start that was killed meanwhile must not leave half a draft.
  const part = `${file}.${process.pid}`;
  await writeFile(part, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(part, file);
}

export type TenantSeed = Pick<
  Bootstrap,
  | 'organisation_id'
  | 'workspace_id'
  | 'admin_api_key'
  | 'workspace_api_key'
  | 'tsg_id'
  | 'client_id'
  | 'client_secret'
>;

/** Names and secret of a tenant and its first service account. */
export const newAccount = (secrets: Secrets) => ({
  tsg_id: tsgId(),
  client_id: uuid(),
  client_secret: secrets.generateKey(),
});

/** An organisation with a default workspace, one key of each kind and the `mock` provider. Repeatable. */
export async function seedTenant(
  db: Connection,
  secrets: Secrets,
  seed: TenantSeed,
  domain: string,
  name = 'Default',
): Promise<void> {
  const { organisation_id: organisationId, workspace_id: workspaceId } = seed;
  await insertOnce(organisationModel(db), { _id: organisationId }, { name: `${name} organisation` });
  await insertOnce(
    workspaceModel(db),
    { _id: workspaceId },
    {
      organisationId,
      slug: slugFrom(name, 'ws-'),
      name: `${name} workspace`,
      description: null,
      defaults: null,
      isDefault: 1,
      status: 'active',
    },
  );
  const tenant = { organisationId, workspaceId };
  await seedKey(
    db,
    secrets,
    { ...tenant, workspaceId: null },
    'organisation-service',
    'Admin key',
    seed.admin_api_key,
  );
  await seedKey(db, secrets, tenant, 'workspace-service', 'Workspace key', seed.workspace_api_key);
  await seedMockProvider(db, tenant);
  await seedAccount(db, secrets, seed, domain, name);
}

type Tenant = { organisationId: string; workspaceId: string };

async function seedKey(
  db: Connection,
  secrets: Secrets,
  tenant: { organisationId: string; workspaceId: string | null },
  type: ApiKeyType,
  name: string,
  secret: string,
): Promise<void> {
  await insertOnce(
    apiKeyModel(db),
    { secretHash: secrets.hash(secret) },
    {
      _id: uuid(),
      ...tenant,
      userId: null,
      type,
      name,
      description: null,
      secretMask: maskSecret(secret),
      scopes: scopesFor(type),
      defaults: null,
      expiresAt: null,
      status: 'active',
      creationMode: 'auto',
    },
  );
}

/** The tenant of the organisation, with a service account that may do everything there. The tenant says that all is made. */
async function seedAccount(
  db: Connection,
  secrets: Secrets,
  seed: TenantSeed,
  domain: string,
  name: string,
): Promise<void> {
  const owner = { tsgId: seed.tsg_id, organisationId: seed.organisation_id };
  const principal = `admin@${seed.tsg_id}.iam.${domain}`;
  await insertOnce(
    serviceAccountModel(db),
    { _id: seed.client_id },
    {
      ...owner,
      name: 'admin',
      principal,
      description: 'Made with the tenant.',
      secretHash: secrets.hash(seed.client_secret),
      secretVersion: 1,
    },
  );
  const policy = { principal, tsgId: seed.tsg_id, workspaceId: null, role: 'superuser' };
  await insertOnce(accessPolicyModel(db), policy, {
    _id: uuid(),
    organisationId: seed.organisation_id,
    resource: `prn:${seed.tsg_id}::::`,
  });
  await insertOnce(
    tenantModel(db),
    { _id: seed.tsg_id },
    { organisationId: seed.organisation_id, ancestors: [], name },
  );
}

async function seedMockProvider(db: Connection, { organisationId, workspaceId }: Tenant): Promise<void> {
  const integration = await insertOnce(
    integrationModel(db),
    { organisationId, slug: 'mock' },
    {
      _id: uuid(),
      workspaceId: null,
      name: 'Mock',
      description: 'Deterministic answers without a network; mock-1 echoes.',
      aiProviderId: 'mock',
      status: 'active',
      sealedKey: null,
      keyMask: null,
      configurations: {},
      sealedHeaders: null,
      allowAllModels: true,
      models: [],
      globalWorkspaceAccess: { enabled: true },
      workspaces: [],
      tags: {},
    },
  );
  await insertOnce(
    providerModel(db),
    { organisationId, workspaceId, slug: 'mock' },
    {
      _id: uuid(),
      name: 'Mock',
      note: null,
      integrationId: integration._id,
      expiresAt: null,
      status: 'active',
      tags: {},
    },
  );
}

type Upsertable = {
  findOneAndUpdate(
    filter: object,
    update: object,
    options: object,
  ): { lean(): Promise<{ _id: string } | null> };
};

/** The document that `filter` names, made from `filter` and `rest` when it is not there. */
async function insertOnce(model: unknown, filter: object, rest: object): Promise<{ _id: string }> {
  const document = await (model as Upsertable)
    .findOneAndUpdate(filter, { $setOnInsert: rest }, { upsert: true, returnDocument: 'after' })
    .lean();
  if (!document) throw new Error('An upsert gave no document.');
  return document;
}
