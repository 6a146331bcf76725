import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuid } from '../../../src/lib/ids.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { auditRows, dataOf, dumpResources, errorOf } from '../support.ts';
import {
  accountWith,
  createAccount,
  createNeighbour,
  createPolicy,
  createRole,
  tokenOf,
  tryPolicy,
} from './accounts.ts';
import { describeTokenAccess } from './token-access.ts';

let app: TestApp;
let admin: string;
let neighbour: Tenant & { token: string };
let subject: Child;

type Child = { id: string; organisationId: string };

beforeAll(async () => {
  app = await startApp();
  admin = await app.token();
  neighbour = await createNeighbour(app);
  subject = await create('Subject');
});
afterAll(() => app.stop());

const createDocument = `mutation ($name: String!) {
  createTenant(input: { name: $name }) { id object name parentId parent { id } organisationId isBeingDeleted }
}`;
const tryCreate = (name: string, key = admin) => app.graphql(createDocument, { name }, key);
const create = async (name: string, key = admin) => dataOf(await tryCreate(name, key)).createTenant;
const updateDocument = `mutation ($id: ID!, $name: String) {
  updateTenant(id: $id, input: { name: $name }) { id name }
}`;
const update = (id: string, name: string | undefined, key = admin) =>
  app.graphql(updateDocument, { id, name }, key);
const deleteDocument = 'mutation ($id: ID!) { deleteTenant(id: $id) }';
const remove = (id: string, key = admin) => app.graphql(deleteDocument, { id }, key);
const read = (id: string, key = admin) =>
  app.graphql('query ($id: ID!) { tenant(id: $id) { id name parentId parent { id } } }', { id }, key);
const listed = async (args: object, key = admin): Promise<string[]> => {
  const document = `query ($parentId: ID, $name: String) {
    tenants(parentId: $parentId, name: $name) { data { id } }
  }`;
  const { data } = dataOf(await app.graphql(document, args, key)).tenants;
  return data.map(({ id }: { id: string }) => id);
};
const tokenFor = (tsgId: string) => app.token({ tsgId });
const whoAmI = (token: string) => app.graphql('{ organisation { id name } }', {}, token);

describeTokenAccess(() => ({ app, admin, neighbour }), 'iam.tenant', {
  createTenant: { document: createDocument, variables: () => ({ name: 'Refused' }), audit: 'tenant.create' },
  tenant: {
    document: 'query ($id: ID!) { tenant(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    addressed: true,
  },
  tenants: { document: '{ tenants { total } }' },
  updateTenant: {
    document: updateDocument,
    variables: () => ({ id: subject.id, name: 'changed' }),
    audit: 'tenant.update',
    addressed: true,
  },
  deleteTenant: {
    document: deleteDocument,
    variables: () => ({ id: subject.id }),
    audit: 'tenant.delete',
    addressed: true,
  },
});

describe('a tenant', () => {
  it('is made below the token’s own, renamed and deleted', async () => {
    const made = await create('Acme');
    const { id, organisationId } = made;
    expect(id).toMatch(/^[1-9][0-9]{9}$/);
    expect(made).toEqual({
      id,
      object: 'tenant',
      name: 'Acme',
      parentId: app.tsgId,
      parent: { id: app.tsgId },
      organisationId,
      isBeingDeleted: false,
    });
    expect(dataOf(await update(id, 'Acme Ltd')).updateTenant).toEqual({ id, name: 'Acme Ltd' });
    expect(dataOf(await update(id, undefined)).updateTenant).toEqual({ id, name: 'Acme Ltd' });
    expect(dataOf(await remove(id)).deleteTenant).toBe(id);
    expect(errorOf(await read(id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'tenant', targetId: id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'delete']);
  });

  it('has an organisation and a default workspace, which a token for it sees and no other', async () => {
    const { id, organisationId } = await create('Own');
    const token = await tokenFor(id);
    expect(dataOf(await whoAmI(token)).organisation).toEqual({ id: organisationId, name: 'Own' });
    const query = '{ workspaces { data { id name isDefault } } }';
    const { workspaces } = dataOf(await app.graphql(query, {}, token));
    expect(workspaces.data).toEqual([{ id: expect.any(String), name: 'Default workspace', isDefault: 1 }]);
    expect(dataOf(await app.graphql(query, {}, admin)).workspaces.data).not.toContainEqual(
      expect.objectContaining({ id: workspaces.data[0].id }),
    );
  });

  it('takes its users, their memberships and open invites along', async () => {
    const { id, organisationId } = await create('With users');
    const token = await tokenFor(id);
    const { workspaces } = dataOf(await app.graphql('{ workspaces { data { id } } }', {}, token));
    await addUser(app, {
      tenant: { organisationId, workspaceId: workspaces.data[0].id },
      inWorkspace: 'member',
    });
    const invite =
      'mutation { createInvite(input: { email: "a@example.com", role: member, workspaces: [] }) { id } }';
    dataOf(await app.graphql(invite, {}, token));
    const counts = () =>
      Promise.all(
        ['users', 'members', 'invites'].map((name) =>
          app.db.collection(name).countDocuments({ organisationId }),
        ),
      );
    expect(await counts()).toEqual([1, 1, 1]);
    dataOf(await remove(id));
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it.each([
    ['no name', ''],
    ['a name that is too long', 'n'.repeat(256)],
  ])('is refused with %s', async (_what, name) => {
    const before = await dumpResources(app);
    const refusal = { code: 'VALIDATION_FAILED', param: 'input.name' };
    expect(errorOf(await tryCreate(name))).toEqual(refusal);
    expect(errorOf(await update(subject.id, name))).toEqual(refusal);
    expect(await dumpResources(app)).toBe(before);
  });

  it('stands at most on the thirty-second level', async () => {
    const above = { organisationId: uuid(), name: 'Deep', isBeingDeleted: false };
    const ancestors = [app.tsgId, ...Array.from({ length: 29 }, (_, level) => String(2_000_000_000 + level))];
    await app.db
      .collection<{ _id: string }>('tenants')
      .insertOne({ ...above, _id: '3000000000', ancestors } as { _id: string });
    const { id } = await create('Level 32', await tokenFor('3000000000'));
    expect(errorOf(await tryCreate('Level 33', await tokenFor(id))).code).toBe('VALIDATION_FAILED');
  });

  it('has at most a thousand children', async () => {
    const full = await create('Full');
    const rows = Array.from({ length: 999 }, (_, index) => ({
      _id: String(4_000_000_000 + index),
      organisationId: uuid(),
      ancestors: [app.tsgId, full.id],
      name: 'Child',
    }));
    await app.db.collection<{ _id: string }>('tenants').insertMany(rows);
    const token = await tokenFor(full.id);
    await create('Thousandth', token);
    expect(errorOf(await tryCreate('One too many', token)).code).toBe('VALIDATION_FAILED');
  });
});

describe('a hierarchy of tenants', () => {
  let child: Child;
  let grandchild: Child;
  beforeAll(async () => {
    child = await create('Hierarchy child');
    grandchild = await create('Hierarchy grandchild', await tokenFor(child.id));
  });

  it('is seen downwards only', async () => {
    const token = await tokenFor(child.id);
    expect(await listed({ name: 'hierarchy' })).toEqual([grandchild.id, child.id]);
    expect(await listed({ name: 'hierarchy', parentId: app.tsgId })).toEqual([child.id]);
    expect(await listed({}, token)).toEqual([grandchild.id, child.id]);
    expect(await listed({ parentId: child.id }, token)).toEqual([grandchild.id]);
    expect(errorOf(await read(app.tsgId, token)).code).toBe('NOT_FOUND');
    expect(dataOf(await read(child.id, token)).tenant).toMatchObject({ parentId: app.tsgId, parent: null });
    const other = app.graphql(
      'query ($id: ID) { tenants(parentId: $id) { total } }',
      { id: app.tsgId },
      token,
    );
    expect(errorOf(await other).code).toBe('NOT_FOUND');
  });

  it('gives an account of a tenant its roles in all below, and none above or beside', async () => {
    const account = await accountWith(app, await tokenFor(child.id), 'view_only_admin', { tsgId: child.id });
    dataOf(await whoAmI(await tokenOf(app, account, grandchild.id)));
    await expect(tokenOf(app, account)).rejects.toThrow('No access token');
    await expect(tokenOf(app, account, subject.id)).rejects.toThrow('No access token');
  });

  it('lets a tenant give the roles that one above it has defined, and not the other way round', async () => {
    const token = await tokenFor(grandchild.id);
    const principal = 'heir@example.com';
    const role = await createRole(app, admin, ['logs.list']);
    await createPolicy(app, token, { principal, resource: `prn:${grandchild.id}::::`, role });
    const below = await createRole(app, token, ['logs.list']);
    const upwards = await tryPolicy(app, admin, { principal, resource: `prn:${app.tsgId}::::`, role: below });
    expect(errorOf(upwards)).toEqual({ code: 'VALIDATION_FAILED', param: 'input.role' });
  });

  it('keeps tokens to their own tenant', async () => {
    const account = await createAccount(app, await tokenFor(child.id));
    const query = 'query ($id: ID!) { serviceAccount(id: $id) { id } }';
    expect(errorOf(await app.graphql(query, { id: account.id }, admin)).code).toBe('NOT_FOUND');
  });
});

describe('the deletion of a tenant', () => {
  it('is refused while it has children, and with a token of its own', async () => {
    const { id } = await create('Parent');
    const token = await tokenFor(id);
    await create('Child', token);
    expect(errorOf(await remove(id)).code).toBe('IN_USE');
    expect(errorOf(await remove(id, token)).code).toBe('FORBIDDEN');
    dataOf(await whoAmI(token));
  });

  it.each([
    [
      'API keys',
      `mutation { createOrganisationServiceApiKey(input: { name: "x", scopes: ["logs.list"] }) { id } }`,
    ],
    [
      'deployments',
      `mutation { createDeployment(input: { name: "x", type: "production", url: "https://example.com" }) { id } }`,
    ],
  ])('is refused while its organisation has %s', async (_what, document) => {
    const { id } = await create('Busy');
    const token = await tokenFor(id);
    dataOf(await app.graphql(document, {}, token));
    const before = await dumpResources(app);
    expect(errorOf(await remove(id)).code).toBe('IN_USE');
    expect(await dumpResources(app)).toBe(before);
    dataOf(await whoAmI(token));
  });

  it('leaves nothing of it: no identity, no right on another tenant, no token', async () => {
    const { id, organisationId } = await create('Gone');
    const token = await tokenFor(id);
    const account = await accountWith(app, token, ['logs.list'], { tsgId: id });
    await createPolicy(app, admin, {
      principal: account.displayName,
      resource: `prn:${app.tsgId}::::`,
      role: 'view_only_admin',
    });
    const abroad = await tokenOf(app, account);
    const people = { _id: uuid() as never, organisationId, workspaceId: 'w', email: 'a@example.com' };
    for (const name of ['users', 'members', 'invites']) await app.db.collection(name).insertOne(people);
    dataOf(await remove(id));
    for (const held of [token, account.token, abroad]) {
      expect(errorOf(await whoAmI(held)).code).toBe('UNAUTHENTICATED');
    }
    const left = await dumpResources(app);
    expect(left).not.toContain(id);
    expect(left).not.toContain(organisationId);
  });

  it('can be asked for again where it was cut off, and no token counts meanwhile', async () => {
    const { id } = await create('Half-way');
    const token = await tokenFor(id);
    await app.db
      .collection<{ _id: string }>('tenants')
      .updateOne({ _id: id }, { $set: { isBeingDeleted: true } });
    // Any change of a tenant has this process read again what it knows.
    await update(subject.id, 'Subject');
    expect(errorOf(await tryCreate('Late', token)).code).toBe('UNAUTHENTICATED');
    await expect(tokenFor(id)).rejects.toThrow('No access token');
    dataOf(await remove(id));
    expect(errorOf(await read(id)).code).toBe('NOT_FOUND');
  });
});
