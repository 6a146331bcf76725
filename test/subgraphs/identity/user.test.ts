import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UserDocument } from '../../../src/subgraphs/identity/user/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { describeAccess } from '../access.ts';
import { auditRows, dataOf, dumpResources, errorOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: UserDocument;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await addUser(app, { email: 'subject@example.com' });
});
afterAll(() => app.stop());

const read = (id: string, key?: string) =>
  app.graphql(
    `query ($id: ID!) {
      user(id: $id) { email role workspaceIds workspaces { id slug } }
    }`,
    { id },
    key,
  );
const update = (id: string, role: string | null) =>
  app.graphql(
    `mutation ($id: ID!, $role: AssignableUserRole) { updateUser(id: $id, input: { role: $role }) { role } }`,
    { id, role },
  );
const remove = (id: string, key?: string) =>
  app.graphql('mutation ($id: ID!) { deleteUser(id: $id) }', { id }, key);
async function keyOf(userId: string): Promise<string> {
  const input = { name: 'x', scopes: ['logs.list'], workspaceId: app.workspaceId, userId };
  const document =
    'mutation ($input: CreateWorkspaceUserApiKeyInput!) { createWorkspaceUserApiKey(input: $input) { key } }';
  return dataOf(await app.graphql(document, { input })).createWorkspaceUserApiKey.key;
}
const statusesOf = (keys: string[]) =>
  Promise.all(keys.map(async (key) => (await app.rest('GET', '/v1/logs', { key })).status));
const subjectId = () => ({ id: subject._id });

describeAccess(() => ({ app, neighbour }), 'organisation-service', {
  user: {
    document: 'query ($id: ID!) { user(id: $id) { id } }',
    variables: subjectId,
    scopes: ['organisation_users.read'],
    addressed: true,
  },
  users: { document: '{ users { total } }', scopes: ['organisation_users.list'] },
  updateUser: {
    document: 'mutation ($id: ID!) { updateUser(id: $id, input: { role: admin }) { id } }',
    variables: subjectId,
    scopes: ['organisation_users.update'],
    audit: 'user.update',
    addressed: true,
  },
  deleteUser: {
    document: 'mutation ($id: ID!) { deleteUser(id: $id) }',
    variables: subjectId,
    scopes: ['organisation_users.delete'],
    audit: 'user.delete',
    addressed: true,
  },
});

describe('a user', () => {
  it('is shown with the workspaces that took the user in', async () => {
    const { _id } = await addUser(app, { inWorkspace: 'member' });
    expect(dataOf(await read(_id)).user).toMatchObject({
      role: 'member',
      workspaceIds: [app.workspaceId],
      workspaces: [{ id: app.workspaceId }],
    });
    expect(dataOf(await read(subject._id)).user).toMatchObject({ workspaceIds: [], workspaces: [] });
  });

  it('becomes an admin and a member again', async () => {
    const { _id } = await addUser(app);
    expect(dataOf(await update(_id, 'admin')).updateUser).toEqual({ role: 'admin' });
    expect(errorOf(await update(_id, null))).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'input.role',
    });
    expect(dataOf(await update(_id, 'member')).updateUser).toEqual({ role: 'member' });
  });

  it('who is an admin no more keeps keys only where a workspace took the user in', async () => {
    const inside = await addUser(app, { role: 'admin', inWorkspace: 'member' });
    const outside = await addUser(app, { role: 'admin' });
    const keys = [await keyOf(inside._id), await keyOf(outside._id)];
    for (const { _id } of [inside, outside]) dataOf(await update(_id, 'admin'));
    expect(await statusesOf(keys)).toEqual([200, 200]);
    for (const { _id } of [inside, outside]) dataOf(await update(_id, 'member'));
    expect(await statusesOf(keys)).toEqual([200, 401]);
  });

  it('who is the last owner stays one', async () => {
    const { _id } = await addUser(app, { role: 'owner' });
    const before = await dumpResources(app);
    expect(errorOf(await update(_id, 'admin'))).toEqual({ code: 'LAST_OWNER', param: null });
    expect(await dumpResources(app)).toBe(before);
    await addUser(app, { role: 'owner' });
    expect(dataOf(await update(_id, 'admin')).updateUser).toEqual({ role: 'admin' });
  });

  it('who is the last owner is not deleted', async () => {
    const tenant = await app.createTenant();
    const first = await addUser(app, { tenant, role: 'owner' });
    const before = await dumpResources(app);
    expect(errorOf(await remove(first._id, tenant.adminKey)).code).toBe('LAST_OWNER');
    expect(await dumpResources(app)).toBe(before);
    const second = await addUser(app, { tenant, role: 'owner' });
    expect(dataOf(await remove(first._id, tenant.adminKey)).deleteUser).toBe(first._id);
    expect(errorOf(await remove(second._id, tenant.adminKey)).code).toBe('LAST_OWNER');
  });

  it('takes memberships and keys along when deleted, and nothing of others', async () => {
    const [gone, stays] = [
      await addUser(app, { inWorkspace: 'member' }),
      await addUser(app, { inWorkspace: 'member' }),
    ];
    const keys = [await keyOf(gone._id), await keyOf(stays._id)];
    expect(await statusesOf(keys)).toEqual([200, 200]);
    expect(dataOf(await remove(gone._id)).deleteUser).toBe(gone._id);
    expect(await statusesOf(keys)).toEqual([401, 200]);
    const left = await app.db.collection('members').find({ organisationId: app.organisationId }).toArray();
    const userIds = left.map(({ userId }) => userId);
    expect(userIds).toContain(stays._id);
    expect(userIds).not.toContain(gone._id);
    const rows = await auditRows(app, { resourceType: 'user', targetId: gone._id });
    expect(rows.map(({ action, outcome }) => [action, outcome])).toEqual([['delete', 'success']]);
  });

  it('is listed by role and address, in the order asked for', async () => {
    const tenant = await app.createTenant();
    await addUser(app, { tenant, email: 'b@example.com', role: 'admin' });
    await addUser(app, { tenant, email: 'a@example.com' });
    const listed = async (args: string): Promise<string> => {
      const { users } = dataOf(await app.graphql(`{ users${args} { data { email } } }`, {}, tenant.adminKey));
      return users.data.map(({ email }: { email: string }) => email[0]).join('');
    };
    expect(await listed('')).toBe('ab');
    expect(await listed('(sort: { field: email, direction: desc })')).toBe('ba');
    expect(await listed('(sort: { field: createdAt, direction: asc })')).toBe('ba');
    expect(await listed('(role: admin)')).toBe('b');
    expect(await listed('(email: "A@EXAMPLE.COM")')).toBe('a');
    expect(await listed('(createdAtMax: "2020-01-01T00:00:00Z")')).toBe('');
    expect(await listed('(pageSize: 1, currentPage: 1)')).toBe('b');
  });
});
