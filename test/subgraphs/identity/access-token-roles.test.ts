import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { uuid } from '../../../src/lib/ids.ts';
import { createSecrets } from '../../../src/storage/secrets.ts';
import { type TenantDocument, tenantModel } from '../../../src/subgraphs/identity/tenant/index.ts';
import { workspaceModel } from '../../../src/subgraphs/identity/workspace/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { type Account, identitiesOf } from '../../support/identities.ts';
import { dataOf } from '../support.ts';
import { createPolicy, createRole } from './accounts.ts';
import { asBearer, bearers, errorIn, invalid } from './bearer.ts';

const masterKey = randomBytes(32);
const secrets = createSecrets(masterKey);

let app: TestApp;
let neighbour: Tenant;
let make: ReturnType<typeof identitiesOf>;
/** The app's tenant, one below it, and one below that; a sibling of the second. */
let root: TenantDocument;
let child: TenantDocument;
let grandchild: TenantDocument;
let peer: TenantDocument;

beforeAll(async () => {
  app = await startApp({ ENCRYPTION_KEY: masterKey.toString('base64') });
  neighbour = await app.createTenant();
  make = identitiesOf(app, secrets);
  root = (await tenantModel(app.db).findById(app.tsgId).lean<TenantDocument>()) as TenantDocument;
  child = await make.tenant(root);
  grandchild = await make.tenant(child);
  peer = await make.tenant(root);
});
afterAll(() => app.stop());

const { tokenOf, refusalOf, get, whoIs } = bearers(() => app);

describe('the hierarchy', () => {
  let onRoot: Account;
  let onChild: Account;
  beforeAll(async () => {
    onRoot = await make.account(root);
    onChild = await make.account(child);
    await make.policy(onRoot, 'view_only_admin', root);
    await make.policy(onChild, 'view_only_admin', child);
  });

  it('gives an account tokens for its tenant and every descendant, each good for that tenant alone', async () => {
    const reached = [];
    for (const tenant of [root, child, grandchild, peer])
      reached.push(await whoIs(await tokenOf(onRoot, tenant)));
    expect(reached).toEqual([root, child, grandchild, peer].map(({ organisationId }) => organisationId));
  });

  it('gives none for ancestors and peers', async () => {
    expect(await whoIs(await tokenOf(onChild, grandchild))).toBe(grandchild.organisationId);
    expect(await refusalOf(onChild, root)).toBe('invalid_scope');
    expect(await refusalOf(onChild, peer)).toBe('invalid_scope');
  });

  it('gives none to an account without any role', async () => {
    const without = await make.account(child);
    expect(await refusalOf(without)).toBe('unauthorized_client');
    expect(await refusalOf(without, grandchild)).toBe('unauthorized_client');
    expect(await refusalOf(without, peer)).toBe('invalid_scope');
  });

  it('does not hand a role on a descendant up', async () => {
    const account = await make.account(root);
    await make.policy(account, 'superuser', grandchild);
    expect(await refusalOf(account)).toBe('unauthorized_client');
    expect(await refusalOf(account, child)).toBe('unauthorized_client');
    expect(await whoIs(await tokenOf(account, grandchild))).toBe(grandchild.organisationId);
  });

  it('is overridden by a policy of the target that names the account, for that pairing', async () => {
    const stranger = await make.account(await make.tenant());
    expect(await refusalOf(stranger, child)).toBe('invalid_scope');
    await make.policy(stranger, 'view_only_admin', child);
    expect(await whoIs(await tokenOf(stranger, child))).toBe(child.organisationId);
    expect(await refusalOf(stranger, grandchild)).toBe('invalid_scope');
    expect(await refusalOf(stranger, peer)).toBe('invalid_scope');
    expect(await refusalOf(stranger)).toBe('unauthorized_client');
  });

  it('lists the roles that count in the tenant', async () => {
    await make.policy(onRoot, 'superuser', child);
    const { tsg_id, access } = decodeJwt(await tokenOf(onRoot, grandchild));
    expect({ tsg_id, access }).toEqual({
      tsg_id: grandchild._id,
      access: expect.arrayContaining([
        { role: 'view_only_admin', resource: `prn:${grandchild._id}::::` },
        { role: 'superuser', resource: `prn:${grandchild._id}::::` },
      ]),
    });
  });
});

describe('a role', () => {
  it('allows what it says and nothing else', async () => {
    const viewer = await make.account(root);
    await make.policy(viewer, 'view_only_admin', root);
    const token = await tokenOf(viewer);
    expect((await get('/v2/configs', token)).status).toBe(200);
    const refused = await app.rest('POST', '/v2/configs', {
      ...asBearer(token),
      body: { name: 'Not made', config: { retry: { attempts: 1 } }, workspace_id: app.workspaceId },
    });
    expect(errorIn(refused)).toMatchObject({ status: 403, code: 'AB03' });
  });

  it('of the tenant counts by its permissions of this moment', async () => {
    const admin = await app.token();
    const role = await createRole(app, admin, ['configs.list']);
    const robot = await make.account(root);
    await make.policy(robot, role, root);
    const token = await tokenOf(robot);
    expect((await get('/v2/configs', token)).status).toBe(200);
    const change = `mutation ($id: ID!) { updateRole(id: $id, input: { permissions: ["providers.list"] }) { id } }`;
    dataOf(await app.graphql(change, { id: role }, admin));
    expect((await get('/v2/configs', token)).status).toBe(403);
  });

  it('counts with the next request when it is given, and is gone with the next one when it is taken away', async () => {
    const admin = await app.token();
    const robot = await make.account(root);
    await make.policy(robot, 'organisation_member', root);
    const token = await tokenOf(robot);
    expect((await get('/v2/configs', token)).status).toBe(403);
    const policy = { principal: robot.principal, role: 'view_only_admin', resource: `prn:${root._id}::::` };
    const { id } = await createPolicy(app, admin, policy);
    expect((await get('/v2/configs', token)).status).toBe(200);
    dataOf(await app.graphql('mutation ($id: ID!) { deleteAccessPolicy(id: $id) }', { id }, admin));
    expect((await get('/v2/configs', token)).status).toBe(403);
  });

  it('that was the last one takes the token with it', async () => {
    const admin = await app.token();
    const robot = await make.account(root);
    const id = await make.policy(robot, 'view_only_admin', root);
    const token = await tokenOf(robot);
    expect((await get('/v2/configs', token)).status).toBe(200);
    dataOf(await app.graphql('mutation ($id: ID!) { deleteAccessPolicy(id: $id) }', { id }, admin));
    expect(errorIn(await get('/v2/configs', token))).toEqual(invalid(/no role in the tenant/));
    expect(await refusalOf(robot)).toBe('unauthorized_client');
  });
});

describe('workspaces', () => {
  let first: string;
  let second: string;
  let robot: Account;
  const named = (workspace: string) => ({ 'x-gateway-workspace-id': workspace });
  const chat = (token: string, headers: Record<string, string> = {}) =>
    app.rest('POST', '/v1/chat/completions', {
      ...asBearer(token, headers),
      body: { model: '@mock/mock-1', messages: [{ role: 'user', content: 'hello' }] },
    });

  beforeAll(async () => {
    [first, second] = [app.workspaceId, await make.workspace(root)];
    robot = await make.account(root);
    await make.policy(robot, 'workspace_admin', root, first);
  });

  it('bind an account that has roles on one alone, also on the data plane', async () => {
    const token = await tokenOf(robot);
    const { data } = await app.graphql('{ workspaces { data { id } } }', {}, token);
    expect(data.workspaces.data).toEqual([{ id: first }]);
    expect((await chat(token)).status).toBe(200);
    expect(errorIn(await get('/v2/configs', token, named(second)))).toMatchObject({
      status: 403,
      code: 'AB03',
    });
  });

  it('must be named by an account that has roles on several', async () => {
    const account = await make.account(root);
    await make.policy(account, 'workspace_admin', root, first);
    await make.policy(account, 'workspace_member', root, second);
    const token = await tokenOf(account);
    expect(errorIn(await get('/v2/configs', token))).toEqual({
      status: 403,
      code: 'AB03',
      message: expect.stringContaining('x-gateway-workspace-id'),
    });
    const create = (workspace: string) =>
      app.rest('POST', '/v2/configs', {
        ...asBearer(token, named(workspace)),
        body: { name: 'Here', config: { retry: { attempts: 1 } } },
      });
    expect((await create(first)).status).toBe(200);
    expect((await create(second)).status).toBe(403);
    expect((await get('/v2/configs', token, named(second))).status).toBe(200);
  });

  it('narrow a token for the whole tenant, by id or slug', async () => {
    const token = await app.token();
    expect(errorIn(await chat(token))).toMatchObject({
      status: 403,
      message: expect.stringContaining('x-gateway-workspace-id'),
    });
    const { slug = '' } = (await workspaceModel(app.db).findById(first)) ?? {};
    for (const name of [first, slug]) expect((await chat(token, named(name))).status).toBe(200);
    await app.logged();
    const logs = await app.db.collection('logs').find({ apiKeyId: app.clientId }).toArray();
    expect(new Set(logs.map(({ workspaceId }) => workspaceId))).toEqual(new Set([first]));
  });

  it('of another tenant, and those that nobody has, are the same to a token', async () => {
    const token = await app.token();
    for (const name of [neighbour.workspaceId, uuid(), 'x'.repeat(200)]) {
      expect(errorIn(await get('/v2/configs', token, named(name)))).toEqual(invalid(/is for another tenant/));
    }
  });

  it('never give more than a key of the workspace could hold', async () => {
    const account = await make.account(root);
    await make.policy(account, 'superuser', root, first);
    const token = await tokenOf(account);
    expect((await get('/v2/configs', token)).status).toBe(200);
    const body = { name: 'Not made', scopes: ['workspaces.create'] };
    const refused = await app.rest('POST', '/v2/api-keys/organisation/service', { ...asBearer(token), body });
    expect(errorIn(refused)).toMatchObject({ status: 403, code: 'AB03' });
    const made = await app.rest('POST', '/v2/admin/workspaces', {
      ...asBearer(token),
      body: { name: 'Not made' },
    });
    expect(made.status).toBe(403);
  });

  it('that are archived leave nothing to their accounts', async () => {
    const archived = await make.workspace(root);
    const account = await make.account(root);
    await make.policy(account, 'workspace_admin', root, archived);
    const token = await tokenOf(account);
    expect((await get('/v2/configs', token)).status).toBe(200);
    await workspaceModel(app.db).updateOne({ _id: archived }, { status: 'archived' });
    // Any write of a workspace has the others read again.
    const change = { key: app.adminKey, body: { name: 'Default workspace' } };
    expect((await app.rest('PUT', `/v1/admin/workspaces/${app.workspaceId}`, change)).status).toBe(200);
    expect((await get('/v2/configs', token)).status).toBe(401);
  });
});
