import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuid } from '../../../src/lib/ids.ts';
import type { UserDocument } from '../../../src/subgraphs/identity/user/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { describeAccess } from '../access.ts';
import { auditRows, dataOf, dumpResources, errorOf, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: UserDocument;
let other: { id: string; slug: string };

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await addUser(app, { email: 'subject@example.com', inWorkspace: 'manager' });
  other = dataOf(
    await app.graphql('mutation { createWorkspace(input: { name: "Other" }) { id slug } }'),
  ).createWorkspace;
});
afterAll(() => app.stop());

const name = () => ({ workspaceId: app.workspaceId, userId: subject._id });
const declared = '$workspaceId: ID!, $userId: ID!';
const given = 'workspaceId: $workspaceId, userId: $userId';
const createDocument = `mutation ($workspaceId: ID!, $users: [MemberInput!]!) {
  createMembers(workspaceId: $workspaceId, input: { users: $users }) { id members { userId role } }
}`;
const create = (users: object[], workspaceId = app.workspaceId, key?: string) =>
  app.graphql(createDocument, { users, workspaceId }, key);
const read = (userId: string, workspaceId = app.workspaceId, key?: string) =>
  app.graphql(
    `query (${declared}) {
      member(${given}) {
        role orgRole email firstName lastName status scopes user { id } workspace { id }
      }
    }`,
    { userId, workspaceId },
    key,
  );
const remove = (userId: string, workspaceId = app.workspaceId) =>
  app.graphql(`mutation (${declared}) { deleteMember(${given}) }`, { userId, workspaceId });

describeAccess(() => ({ app, neighbour }), 'organisation-service', {
  member: {
    document: `query (${declared}) { member(${given}) { id } }`,
    variables: name,
    scopes: ['workspace_users.read'],
  },
  members: {
    document: 'query ($workspaceId: ID!) { members(workspaceId: $workspaceId) { total } }',
    variables: () => ({ workspaceId: app.workspaceId }),
    scopes: ['workspace_users.list'],
  },
  createMembers: {
    document: createDocument,
    variables: () => ({ workspaceId: app.workspaceId, users: [{ id: uuid(), role: 'member' }] }),
    scopes: ['workspace_users.create'],
    audit: 'member.create',
  },
  updateMember: {
    document: `mutation (${declared}) { updateMember(${given}, input: { role: admin }) { id } }`,
    variables: name,
    scopes: ['workspace_users.update'],
    audit: 'member.update',
  },
  deleteMember: {
    document: `mutation (${declared}) { deleteMember(${given}) }`,
    variables: name,
    scopes: ['workspace_users.delete'],
    audit: 'member.delete',
  },
});

describe('a member', () => {
  it('shows the user, and what the user may do in the workspace', async () => {
    const { member } = dataOf(await read(subject._id));
    expect(member).toMatchObject({
      role: 'manager',
      orgRole: 'member',
      email: 'subject@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      status: 'active',
      user: { id: subject._id },
      workspace: { id: app.workspaceId },
    });
    expect(member.scopes).toContain('configs.create');
    expect(member.scopes).not.toContain('policies.create');
    const admin = await addUser(app, { role: 'admin', inWorkspace: 'member' });
    expect(dataOf(await read(admin._id)).member.scopes).toContain('policies.create');
  });

  it('is taken in with others, changed and put out', async () => {
    const [one, two] = [await addUser(app), await addUser(app)];
    const users = [
      { id: one._id, role: 'admin' },
      { id: two._id, role: 'member' },
    ];
    const { createMembers } = dataOf(await create(users, other.slug));
    expect(createMembers).toEqual({
      id: other.id,
      members: expect.arrayContaining(users.map(({ id, role }) => ({ userId: id, role }))),
    });
    const change = (input: string) =>
      app.graphql(`mutation (${declared}) { updateMember(${given}, input: ${input}) { role } }`, {
        workspaceId: other.id,
        userId: one._id,
      });
    expect(dataOf(await change('{ role: manager }')).updateMember).toEqual({ role: 'manager' });
    expect(dataOf(await change('{}')).updateMember).toEqual({ role: 'manager' });
    const membership = dataOf(await remove(one._id, other.slug)).deleteMember;
    expect(errorOf(await remove(one._id, other.slug)).code).toBe('NOT_FOUND');
    expect(dataOf(await read(two._id, other.id)).member.role).toBe('member');
    const rows = await auditRows(app, { resourceType: 'member', targetId: membership, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['update', 'update', 'delete']);
  });

  it('takes the keys of this workspace along, and no others', async () => {
    const { _id: userId } = await addUser(app, { inWorkspace: 'member' });
    dataOf(await create([{ id: userId, role: 'member' }], other.id));
    const keyIn = async (workspaceId: string): Promise<string> => {
      const input = { name: 'x', scopes: ['logs.list'], workspaceId, userId };
      const document =
        'mutation ($input: CreateWorkspaceUserApiKeyInput!) { createWorkspaceUserApiKey(input: $input) { key } }';
      return dataOf(await app.graphql(document, { input })).createWorkspaceUserApiKey.key;
    };
    const keys = [await keyIn(app.workspaceId), await keyIn(other.id)];
    const statuses = async () =>
      Promise.all(keys.map(async (key) => (await app.rest('GET', '/v1/logs', { key })).status));
    expect(await statuses()).toEqual([200, 200]);
    dataOf(await remove(userId));
    expect(await statuses()).toEqual([401, 200]);
  });

  it.each([
    ['somebody who is no user', async () => [{ id: uuid(), role: 'member' }], 'VALIDATION_FAILED', 0],
    [
      'a user of another organisation, and nobody else of the call',
      async () => [
        { id: (await addUser(app))._id, role: 'member' },
        { id: (await addUser(app, { tenant: neighbour }))._id, role: 'member' },
      ],
      'VALIDATION_FAILED',
      1,
    ],
    [
      'a user twice',
      async () => {
        const { _id: id } = await addUser(app);
        return [
          { id, role: 'member' },
          { id, role: 'admin' },
        ];
      },
      'VALIDATION_FAILED',
      1,
    ],
    ['a member', async () => [{ id: subject._id, role: 'admin' }], 'ALREADY_EXISTS', 0],
  ])('is not made of %s', async (_what, usersOf, code, index) => {
    const users = await usersOf();
    const before = await dumpResources(app);
    expect(errorOf(await create(users))).toEqual({ code, param: `input.users[${index}].id` });
    expect(await dumpResources(app)).toBe(before);
  });

  it('is not found in another workspace, nor by another organisation or workspace', async () => {
    expect(errorOf(await read(subject._id, other.id)).code).toBe('NOT_FOUND');
    expect(errorOf(await read(subject._id, app.workspaceId, neighbour.adminKey)).code).toBe('NOT_FOUND');
    expect(
      errorOf(await create([{ id: subject._id, role: 'member' }], other.id, app.workspaceKey)).code,
    ).toBe('NOT_FOUND');
    const document = `query (${declared}) { member(${given}) { email } }`;
    const { member } = dataOf(await app.graphql(document, name(), app.workspaceKey));
    expect(member).toEqual({ email: 'subject@example.com' });
  });

  it('is listed by role and address', async () => {
    const tenant = await app.createTenant();
    await addUser(app, { tenant, email: 'b@example.com', inWorkspace: 'admin' });
    await addUser(app, { tenant, email: 'a@example.com', inWorkspace: 'member' });
    const listed = async (args: string): Promise<string> => {
      const document = `{ members(workspaceId: "${tenant.workspaceId}" ${args}) { data { email } } }`;
      const { members } = dataOf(await app.graphql(document, {}, tenant.adminKey));
      return members.data.map(({ email }: { email: string }) => email[0]).join('');
    };
    expect(await listed('')).toBe('ab');
    expect(await listed('sort: { field: createdAt, direction: asc }')).toBe('ba');
    expect(await listed('role: admin')).toBe('b');
    expect(await listed('email: "A@example.com"')).toBe('a');
    expect(await listed('email: "nobody@example.com"')).toBe('');
    expect(await listed('pageSize: 1 currentPage: 1')).toBe('b');
  });
});

describe('a workspace', () => {
  const createWorkspace = (users: string[]) =>
    app.graphql(
      `mutation ($users: [ID!]) {
        createWorkspace(input: { name: "Team", users: $users }) { id members { userId role } }
      }`,
      { users },
    );

  it('is made with members, who do not keep it from being deleted', async () => {
    const { id, members } = dataOf(await createWorkspace([subject._id])).createWorkspace;
    expect(members).toEqual([{ userId: subject._id, role: 'member' }]);
    dataOf(await app.graphql('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id }));
    expect(await app.db.collection('members').countDocuments({ workspaceId: id })).toBe(0);
    dataOf(await read(subject._id));
  });

  it('is not made with strangers', async () => {
    const stranger = await addUser(app, { tenant: neighbour });
    const before = await dumpResources(app);
    const refusal = { code: 'VALIDATION_FAILED', param: 'input.users[1]' };
    expect(errorOf(await createWorkspace([subject._id, stranger._id]))).toEqual(refusal);
    expect(await dumpResources(app)).toBe(before);
  });

  it('shows its members to whoever may read it', async () => {
    const key = await makeKey(app, 'workspace-service', { only: ['workspaces.read'] });
    const document = 'query ($id: ID!) { workspace(id: $id) { members(limit: 1) { email } } }';
    const { workspace } = dataOf(await app.graphql(document, { id: app.workspaceId }, key));
    expect(workspace.members).toHaveLength(1);
  });
});
