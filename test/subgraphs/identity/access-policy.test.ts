import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { auditRows, dataOf, dumpResources, errorOf } from '../support.ts';
import {
  accountWith,
  createAccount,
  createNeighbour,
  createPolicy,
  createRole,
  principalOf,
  tokenOf,
  tryPolicy,
} from './accounts.ts';
import { describeTokenAccess } from './token-access.ts';

let app: TestApp;
let admin: string;
let neighbour: Tenant & { token: string };
let subject: { id: string };

beforeAll(async () => {
  app = await startApp();
  admin = await app.token();
  neighbour = await createNeighbour(app);
  subject = await createPolicy(app, admin, input({}));
});
afterAll(() => app.stop());

const root = () => `prn:${app.tsgId}::::`;
const input = (change: object) => ({
  principal: 'someone@example.com',
  resource: root(),
  role: 'view_only_admin',
  ...change,
});
const createDocument =
  'mutation ($input: CreateAccessPolicyInput!) { createAccessPolicy(input: $input) { id } }';
const deleteDocument = 'mutation ($id: ID!) { deleteAccessPolicy(id: $id) }';
const remove = (id: string, key = admin) => app.graphql(deleteDocument, { id }, key);
const listed = async (args: object, key = admin): Promise<string[]> => {
  const document = `query ($principal: String, $role: String, $workspaceId: ID) {
    accessPolicies(principal: $principal, role: $role, workspaceId: $workspaceId) { data { id } }
  }`;
  const { data } = dataOf(await app.graphql(document, args, key)).accessPolicies;
  return data.map(({ id }: { id: string }) => id);
};
const whoAmI = (token: string) => app.graphql('{ organisation { id } }', {}, token);
const onWorkspace = async (query: string, token: string, workspaceId = app.workspaceId) => {
  const headers = { 'x-gateway-workspace-id': workspaceId };
  const { body } = await app.rest('POST', '/graphql', { key: token, headers, body: { query } });
  return body as Awaited<ReturnType<TestApp['graphql']>>;
};

describeTokenAccess(
  () => ({ app, admin, neighbour }),
  'iam.access_policy',
  {
    createAccessPolicy: {
      document: createDocument,
      variables: () => ({ input: input({ principal: 'refused@example.com' }) }),
      audit: 'access_policy.create',
    },
    accessPolicy: {
      document: 'query ($id: ID!) { accessPolicy(id: $id) { id } }',
      variables: () => ({ id: subject.id }),
      addressed: true,
    },
    accessPolicies: { document: '{ accessPolicies { total } }' },
    deleteAccessPolicy: {
      document: deleteDocument,
      variables: () => ({ id: subject.id }),
      audit: 'access_policy.delete',
      addressed: true,
    },
  },
  { onWorkspace: true },
);

describe('an access policy', () => {
  it('is made, read and deleted', async () => {
    const resource = `${root()}${app.workspaceId}`;
    const made = await createPolicy(app, admin, input({ principal: 'Mixed.Case@Example.com', resource }));
    const { id } = made;
    const policy = {
      id,
      principal: 'mixed.case@example.com',
      resource,
      role: 'view_only_admin',
      workspaceId: app.workspaceId,
    };
    expect(made).toEqual(policy);
    const read = `query ($id: ID!) {
      accessPolicy(id: $id) { id principal resource role workspaceId workspace { id } }
    }`;
    expect(dataOf(await app.graphql(read, { id }, admin)).accessPolicy).toEqual({
      ...policy,
      workspace: { id: app.workspaceId },
    });
    expect(dataOf(await remove(id)).deleteAccessPolicy).toBe(id);
    expect(errorOf(await remove(id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'access_policy', targetId: id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'delete']);
  });

  it('names its workspace by id or slug, and is one and the same', async () => {
    const principal = 'slug@example.com';
    const { slug } = dataOf(
      await app.graphql('query ($id: ID!) { workspace(id: $id) { slug } }', { id: app.workspaceId }, admin),
    ).workspace;
    const made = await createPolicy(app, admin, input({ principal, resource: root() + slug }));
    expect(made).toMatchObject({ resource: root() + slug, workspaceId: app.workspaceId });
    const again = await tryPolicy(app, admin, input({ principal, resource: root() + app.workspaceId }));
    expect(errorOf(again).code).toBe('ALREADY_EXISTS');
    const elsewhere = await tryPolicy(app, admin, input({ principal }));
    expect(errorOf(elsewhere)).toEqual({ code: undefined, param: null });
  });

  it('is listed by principal, role and workspace, in its own tenant', async () => {
    const principal = 'listed@example.com';
    const one = await createPolicy(app, admin, input({ principal, role: 'workspace_member' }));
    const resource = root() + app.workspaceId;
    const two = await createPolicy(app, admin, input({ principal, resource }));
    expect(await listed({ principal: 'LISTED@example.com' })).toEqual([two.id, one.id]);
    expect(await listed({ principal, role: 'workspace_member' })).toEqual([one.id]);
    expect(await listed({ principal, workspaceId: app.workspaceId })).toEqual([two.id]);
    expect(await listed({ principal }, neighbour.token)).toEqual([]);
    const query = '{ accessPolicies(principal: "listed@example.com") { data { id } } }';
    expect(dataOf(await onWorkspace(query, admin)).accessPolicies.data).toEqual([{ id: two.id }]);
  });

  it.each([
    ['a principal that is no address', () => ({ principal: 'nobody' }), 'principal'],
    ['a service account without a tenant', () => ({ principal: 'ci@acme.iam.sluice.local' }), 'principal'],
    ['a resource of another form', () => ({ resource: `prn:${app.tsgId}` }), 'resource'],
    ['a resource with a short tenant', () => ({ resource: 'prn:123::::' }), 'resource'],
    ['a resource with a member too many', () => ({ resource: `${root()}a:b` }), 'resource'],
    ['an unknown workspace', () => ({ resource: `${root()}none` }), 'resource'],
    ["another tenant's workspace", () => ({ resource: root() + neighbour.workspaceId }), 'resource'],
    ['an unknown role', () => ({ role: 'king' }), 'role'],
    ['an unknown role of the tenant', () => ({ role: `king:${app.tsgId}` }), 'role'],
  ])('is refused with %s', async (_what, change, param) => {
    const before = await dumpResources(app);
    const error = errorOf(await tryPolicy(app, admin, input(change())));
    expect(error).toEqual({ code: 'VALIDATION_FAILED', param: `input.${param}` });
    expect(await dumpResources(app)).toBe(before);
  });

  it("never gives another tenant's role, or a role on another tenant", async () => {
    const role = await createRole(app, neighbour.token, ['logs.list']);
    const foreign = { code: 'VALIDATION_FAILED', param: 'input.role' };
    expect(errorOf(await tryPolicy(app, admin, input({ role })))).toEqual(foreign);
    const resource = `prn:${neighbour.tsgId}::::`;
    const elsewhere = { code: 'INVALID_AUTHORISATION', param: 'input.resource' };
    expect(errorOf(await tryPolicy(app, admin, input({ resource })))).toEqual(elsewhere);
  });

  it('gives no more than its maker holds', async () => {
    const { token } = await accountWith(app, admin, ['iam.access_policy', 'logs.list']);
    const before = await dumpResources(app);
    const refusal = { code: 'FORBIDDEN', param: 'input.role' };
    expect(errorOf(await tryPolicy(app, token, input({ role: 'superuser' })))).toEqual(refusal);
    expect(errorOf(await tryPolicy(app, token, input({ role: 'workspace_member' })))).toEqual(refusal);
    expect(await dumpResources(app)).toBe(before);
    await createPolicy(app, token, input({ role: await createRole(app, admin, ['logs.list']) }));
  });

  it('is not removed by whom it outranks', async () => {
    const { token } = await accountWith(app, admin, ['iam.access_policy', 'logs.list']);
    const strong = await createPolicy(
      app,
      admin,
      input({ principal: 'chief@example.com', role: 'superuser' }),
    );
    const role = await createRole(app, admin, ['logs.list']);
    const weak = await createPolicy(app, admin, input({ principal: 'clerk@example.com', role }));
    const before = await dumpResources(app);
    const asked = { key: null, headers: { authorization: `Bearer ${token}` } };
    expect(await app.rest('DELETE', `/iam/v1/access_policies/${strong.id}`, asked)).toMatchObject({
      status: 403,
    });
    expect(errorOf(await remove(strong.id, token)).code).toBe('FORBIDDEN');
    expect(await dumpResources(app)).toBe(before);
    dataOf(await remove(weak.id, token));
  });

  it('gives what is held on a workspace on that workspace only', async () => {
    const { token, displayName } = await accountWith(app, admin, ['iam.access_policy']);
    await createPolicy(app, admin, {
      principal: displayName,
      resource: root() + app.workspaceId,
      role: 'workspace_member',
    });
    const give = (resource: string) =>
      onWorkspace(
        `mutation { createAccessPolicy(input: {
          principal: "member@example.com", resource: "${resource}", role: "workspace_member"
        }) { id } }`,
        token,
      );
    expect(errorOf(await give(root()))).toEqual({ code: 'FORBIDDEN', param: 'input.resource' });
    dataOf(await give(root() + app.workspaceId));
  });

  it('keeps its workspace from being deleted', async () => {
    const make = 'mutation { createWorkspace(input: { name: "Kept" }) { id } }';
    const { id } = dataOf(await app.graphql(make, {}, admin)).createWorkspace;
    const policy = await createPolicy(app, admin, input({ resource: root() + id }));
    const remove = () => app.graphql('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id }, admin);
    expect(errorOf(await remove()).code).toBe('IN_USE');
    await app.graphql(deleteDocument, { id: policy.id }, admin);
    dataOf(await remove());
  });
});

describe('what an access policy gives', () => {
  it('counts for the next token and the next request, and ends as fast', async () => {
    const account = await createAccount(app, admin);
    const principal = account.displayName;
    await expect(tokenOf(app, account)).rejects.toThrow('No access token');
    const one = await createPolicy(app, admin, input({ principal, role: 'organisation_member' }));
    const token = await tokenOf(app, account);
    const list = () => app.graphql('{ workspaces { total } }', {}, token);
    expect(errorOf(await list()).code).toBe('FORBIDDEN');
    const two = await createPolicy(app, admin, input({ principal }));
    dataOf(await list());
    await remove(two.id);
    expect(errorOf(await list()).code).toBe('FORBIDDEN');
    await remove(one.id);
    expect(errorOf(await whoAmI(token)).code).toBe('UNAUTHENTICATED');
    await expect(tokenOf(app, account)).rejects.toThrow('No access token');
  });

  it('waits for a principal that does not exist yet', async () => {
    const principal = principalOf('later', app.tsgId);
    await createPolicy(app, admin, input({ principal }));
    const account = await createAccount(app, admin, 'later');
    dataOf(await whoAmI(await tokenOf(app, account)));
  });

  it("reaches another tenant's account, which its place in the hierarchy does not", async () => {
    const account = await createAccount(app, neighbour.token);
    await expect(tokenOf(app, account)).rejects.toThrow('No access token');
    await createPolicy(app, admin, input({ principal: account.displayName }));
    const { organisation } = dataOf(await whoAmI(await tokenOf(app, account)));
    expect(organisation.id).toBe(app.organisationId);
  });
});

describe('the last policy that lets somebody administer the policies of a root tenant', () => {
  it('stays', async () => {
    const { token, tsgId } = await createNeighbour(app);
    const last = (await listed({ role: 'superuser' }, token))[0] ?? '';
    const waiting = { principal: 'nobody@example.com', resource: `prn:${tsgId}::::`, role: 'superuser' };
    await createPolicy(app, token, waiting);
    const before = await dumpResources(app);
    expect(errorOf(await remove(last, token)).code).toBe('IN_USE');
    expect(await dumpResources(app)).toBe(before);
    const { displayName: principal } = await createAccount(app, token);
    await createPolicy(app, token, { ...waiting, principal, role: 'organisation_admin' });
    dataOf(await remove(last, token));
  });
});
