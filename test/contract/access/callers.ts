import { apiKeyTypes, mayHold, type Permission, scopesFor } from '../../../src/auth/index.ts';
import { uuid } from '../../../src/lib/ids.ts';
import { accessPolicyModel } from '../../../src/subgraphs/identity/access-policy/index.ts';
import { roleModel } from '../../../src/subgraphs/identity/role/index.ts';
import { serviceAccountModel } from '../../../src/subgraphs/identity/service-account/index.ts';
import type { Tenant, TestApp } from '../../support/app.ts';

/** Name of the keys and roles that are made here, which are no part of what calls must not change. */
export const CALLER = 'Made for a caller';

/** The headers that a caller sends. */
export type Caller = Record<string, string>;

export const nobody: Caller = {};
export const keyCaller = (key: string): Caller => ({ 'x-gateway-api-key': key });
/** The same key in the place where SDKs of Anthropic put it. */
export const inApiKey = (caller: Caller): Caller => ({ 'x-api-key': caller['x-gateway-api-key'] ?? '' });

/** Credentials that hold exactly what a test says. */
export type Callers = {
  /** A service account whose role has these permissions on the tenant, or on one workspace of it. */
  account(permissions: readonly Permission[], workspaceId?: string): Promise<Caller>;
  /** A service account with a role by its name, e.g. `superuser`. */
  withRole(role: string, workspaceId?: string): Promise<Caller>;
  /** A gateway key of the first type that may hold the scope, with these beside it if it may; null when no type may. */
  key(scope: string, beside?: readonly string[]): Promise<Caller | null>;
  /** A gateway key with all that its type may hold but these. */
  keyWithout(scopes: readonly string[]): Promise<Caller>;
};

export function createCallers(app: TestApp, tenant: Tenant): Callers {
  const known = new Map<string, Promise<Caller>>();
  const once = (name: string, make: () => Promise<Caller>): Promise<Caller> => {
    const caller = known.get(name) ?? make();
    known.set(name, caller);
    return caller;
  };
  const owner = { tsgId: tenant.tsgId, organisationId: tenant.organisationId };

  async function withRole(role: string, workspaceId: string | null): Promise<Caller> {
    const seeded = await serviceAccountModel(app.db).findById(tenant.clientId).lean();
    const clientId = uuid();
    const name = `caller-${clientId}`;
    const principal = seeded?.principal.replace(/^[^@]+/, name);
    const account = { ...owner, _id: clientId, name, principal, secretHash: seeded?.secretHash };
    await serviceAccountModel(app.db).create(account);
    await accessPolicyModel(app.db).create({
      ...owner,
      _id: uuid(),
      workspaceId,
      principal,
      role,
      resource: `prn:${tenant.tsgId}::::${workspaceId ?? ''}`,
    });
    return { authorization: `Bearer ${await app.token({ ...tenant, clientId })}` };
  }

  async function withPermissions(permissions: readonly Permission[], workspaceId: string | null) {
    const slug = `role-${uuid()}`;
    const _id = `${slug}:${tenant.tsgId}`;
    await roleModel(app.db).create({ ...owner, _id, slug, name: CALLER, permissions: [...permissions] });
    return withRole(_id, workspaceId);
  }

  async function newKey(type: (typeof apiKeyTypes)[number], scopes: readonly string[]): Promise<Caller> {
    const path = `/v1/api-keys/${type.replace('-', '/')}`;
    const workspace = type !== 'organisation-service' && { workspace_id: tenant.workspaceId };
    const body = { name: CALLER, scopes, ...workspace };
    const answer = await app.rest('POST', path, { key: tenant.adminKey, body });
    if (answer.status !== 200) throw new Error(`No key: ${answer.status} ${JSON.stringify(answer.body)}`);
    return keyCaller((answer.body as { key: string }).key);
  }

  return {
    account: (permissions, workspaceId) =>
      once(`${workspaceId} ${[...permissions].sort()}`, () =>
        withPermissions(permissions, workspaceId ?? null),
      ),
    withRole: (role, workspaceId) =>
      once(`${workspaceId} ${role}`, () => withRole(role, workspaceId ?? null)),
    async key(scope, beside = []) {
      const type = apiKeyTypes.find((known) => mayHold(known, scope));
      if (!type) return null;
      const given = [scope, ...beside.filter((other) => mayHold(type, other))];
      return once(`key ${given}`, () => newKey(type, given));
    },
    keyWithout: (scopes) =>
      once(`key without ${scopes}`, () =>
        newKey(
          'organisation-service',
          scopesFor('organisation-service').filter((scope) => !scopes.includes(scope)),
        ),
      ),
  };
}
