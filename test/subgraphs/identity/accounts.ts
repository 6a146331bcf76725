import type { Permission } from '../../../src/auth/index.ts';
import type { Tenant, TestApp } from '../../support/app.ts';
import { dataOf } from '../support.ts';

export type Account = { id: string; clientSecret: string; displayName: string };

const domain = 'sluice.local';
let made = 0;

/** A service account of the app's tenant, made by the holder of `key`; without a name it gets one of its own. */
export async function createAccount(app: TestApp, key: string, name = `account-${++made}`): Promise<Account> {
  const document = `mutation ($name: String!) {
    createServiceAccount(input: { name: $name }) { id clientSecret serviceAccount { displayName } }
  }`;
  const { serviceAccount, ...rest } = dataOf(await app.graphql(document, { name }, key)).createServiceAccount;
  return { ...rest, ...serviceAccount };
}

export async function createRole(app: TestApp, key: string, permissions: Permission[]): Promise<string> {
  const document = `mutation ($input: CreateRoleInput!) { createRole(input: $input) { id } }`;
  const input = { slug: `role-${++made}`, name: 'Limited', permissions };
  return dataOf(await app.graphql(document, { input }, key)).createRole.id;
}

export const tryPolicy = (app: TestApp, key: string, input: object) =>
  app.graphql(
    `mutation ($input: CreateAccessPolicyInput!) {
      createAccessPolicy(input: $input) { id principal resource role workspaceId }
    }`,
    { input },
    key,
  );
export const createPolicy = async (app: TestApp, key: string, input: object) =>
  dataOf(await tryPolicy(app, key, input)).createAccessPolicy;

/** An account with one role on the tenant's root, or on a workspace, and a token of it. */
export async function accountWith(
  app: TestApp,
  key: string,
  role: string | Permission[],
  { workspaceId = '', tsgId = app.tsgId } = {},
): Promise<Account & { token: string }> {
  const account = await createAccount(app, key);
  const id = typeof role === 'string' ? role : await createRole(app, key, role);
  const resource = `prn:${tsgId}::::${workspaceId}`;
  await createPolicy(app, key, { principal: account.displayName, resource, role: id });
  return { ...account, token: await tokenOf(app, account, tsgId) };
}

export const tokenOf = (app: TestApp, { id, clientSecret }: Account, tsgId = app.tsgId): Promise<string> =>
  app.token({ clientId: id, clientSecret, tsgId });

/** A further tenant with the token of its own administrator. */
export async function createNeighbour(app: TestApp): Promise<Tenant & { token: string }> {
  const tenant = await app.createTenant();
  return { ...tenant, token: await app.token(tenant) };
}

/** What access policies call a service account. */
export const principalOf = (name: string, tsgId: string): string => `${name}@${tsgId}.iam.${domain}`;
