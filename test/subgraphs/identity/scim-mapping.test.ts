import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UserDocument } from '../../../src/subgraphs/identity/user/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { auditRows, dataOf, dumpResources, errorOf, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

let names = 0;
async function makeGroup(members: UserDocument[], displayName = `Group ${++names}`): Promise<string> {
  const input = { displayName, memberIds: members.map(({ _id }) => _id) };
  const document = 'mutation ($input: CreateScimGroupInput!) { createScimGroup(input: $input) { id } }';
  return dataOf(await app.graphql(document, { input })).createScimGroup.id;
}
const changeGroup = async (id: string, input: object, key?: string) =>
  app.graphql(
    'mutation ($id: ID!, $input: UpdateScimGroupInput!) { updateScimGroup(id: $id, input: $input) { id } }',
    { id, input },
    key,
  );
async function makeWorkspace(): Promise<string> {
  const { data } = await app.graphql('mutation { createWorkspace(input: { name: "Team" }) { id } }');
  return data.createWorkspace.id;
}

type Mapping = { workspace_id?: string; role?: string; scim_group_id?: string; scim_group_name?: string };
const map = (body: Mapping, key = app.adminKey) => app.rest('POST', '/v1/scim/workspaces', { key, body });
async function mapped(
  scim_group_id: string,
  role = 'member',
  workspace_id = app.workspaceId,
): Promise<string> {
  const { status, body } = await map({ scim_group_id, role, workspace_id });
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as { id: string }).id;
}
const unmap = (id: string, key = app.adminKey) => app.rest('DELETE', `/v1/scim/workspaces/${id}`, { key });

/** What a user is in a workspace; null for nobody. */
async function placeOf({ _id }: UserDocument, workspaceId = app.workspaceId) {
  const answer = await app.graphql(
    'query ($w: ID!, $u: ID!) { member(workspaceId: $w, userId: $u) { role ownRole groupRole } }',
    { w: workspaceId, u: _id },
  );
  return answer.errors ? null : answer.data.member;
}
const byGroup = (groupRole: string) => ({ role: groupRole, ownRole: null, groupRole });

async function keyOf({ _id: userId }: UserDocument, workspaceId = app.workspaceId): Promise<string> {
  const input = { name: 'x', scopes: ['logs.list'], workspaceId, userId };
  const document =
    'mutation ($input: CreateWorkspaceUserApiKeyInput!) { createWorkspaceUserApiKey(input: $input) { key } }';
  return dataOf(await app.graphql(document, { input })).createWorkspaceUserApiKey.key;
}
const statusOf = async (key: string) => (await app.rest('GET', '/v1/logs', { key })).status;

describe('a mapping', () => {
  it('gives the members of a group a workspace and a role, those included who come later', async () => {
    const [first, second] = [await addUser(app), await addUser(app)];
    const group = await makeGroup([first]);
    await mapped(group, 'manager');
    expect(await placeOf(first)).toEqual(byGroup('manager'));
    expect(await placeOf(second)).toBeNull();
    dataOf(await changeGroup(group, { addMemberIds: [second._id] }));
    expect(await placeOf(second)).toEqual(byGroup('manager'));
  });

  it('gives no role that allows more than its maker may do', async () => {
    const key = await makeKey(app, 'organisation-service', { without: ['workspace_users.update'] });
    const before = await dumpResources(app);
    const { status, body } = await app.rest('POST', '/v1/scim/workspaces', {
      key,
      body: { scim_group_name: 'Designers', role: 'admin', workspace_id: app.workspaceId },
    });
    expect({ status, body }).toMatchObject({ status: 403, body: { error: { param: 'role' } } });
    expect(await dumpResources(app)).toBe(before);
  });

  it('is found again by whoever repeats it, and has one role for all workspaces', async () => {
    const group = await makeGroup([], 'Designers');
    const other = await makeWorkspace();
    const id = await mapped(group, 'member');
    const byName = await map({ scim_group_name: 'dESIGNERS', role: 'member', workspace_id: app.workspaceId });
    expect(byName).toMatchObject({
      status: 200,
      body: {
        id,
        workspace_id: app.workspaceId,
        scim_group: 'Designers',
        scim_group_id: group,
        role: 'member',
      },
    });
    const before = await dumpResources(app);
    for (const workspace_id of [app.workspaceId, other]) {
      expect(await map({ scim_group_id: group, role: 'admin', workspace_id })).toMatchObject({
        status: 409,
        body: {
          error: { code: 'AB07', param: 'role', message: expect.stringContaining('mapped as member') },
        },
      });
    }
    expect(await dumpResources(app)).toBe(before);
  });

  it('takes away what it gave when it is deleted, with the keys', async () => {
    const user = await addUser(app);
    const id = await mapped(await makeGroup([user]));
    const key = await keyOf(user);
    expect(await statusOf(key)).toBe(200);
    expect(await unmap(id)).toMatchObject({ status: 200, body: { success: true } });
    expect(await placeOf(user)).toBeNull();
    expect(await statusOf(key)).toBe(401);
    expect((await unmap(id)).status).toBe(404);
    const rows = await auditRows(app, { resourceType: 'scim_mapping', targetId: id });
    expect(rows.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['create', 'success'],
      ['delete', 'success'],
      ['delete', 'failed'],
    ]);
  });

  it('whose deletion failed half-way gives nothing, and its deletion can be repeated', async () => {
    const user = await addUser(app);
    const group = await makeGroup([user]);
    const id = await mapped(group);
    await app.db
      .collection<{ _id: string }>('scim_mappings')
      .updateOne({ _id: id }, { $set: { isEnding: true } });
    expect((await map({ scim_group_id: group, role: 'member', workspace_id: app.workspaceId })).status).toBe(
      409,
    );
    expect((await unmap(id)).status).toBe(200);
    expect(await placeOf(user)).toBeNull();
  });

  it('keeps its workspace from being deleted', async () => {
    const workspace = await makeWorkspace();
    const id = await mapped(await makeGroup([]), 'member', workspace);
    const remove = () => app.graphql('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id: workspace });
    expect(errorOf(await remove()).code).toBe('IN_USE');
    await unmap(id);
    expect((await remove()).errors).toBeUndefined();
  });

  it.each([
    [{ role: 'member' }, 'workspace_id'],
    [{ workspace_id: 'nowhere', role: 'member', scim_group_name: 'Any' }, 'workspace_id'],
    [{ workspace_id: '<own>', role: 'boss', scim_group_name: 'Any' }, 'role'],
    [{ workspace_id: '<own>', role: 'member' }, 'scim_group_id'],
    [{ workspace_id: '<own>', role: 'member', scim_group_id: 'a', scim_group_name: 'b' }, 'scim_group_id'],
    [{ workspace_id: '<own>', role: 'member', scim_group_id: 'nobody' }, 'scim_group_id'],
    [{ workspace_id: '<own>', role: 'member', scim_group_name: 'Nobody' }, 'scim_group_name'],
  ])('is refused as %j, naming the member', async (body: Mapping, param) => {
    const before = await dumpResources(app);
    const own = body.workspace_id === '<own>' ? { workspace_id: app.workspaceId } : {};
    expect(await map({ ...body, ...own })).toMatchObject({
      status: 400,
      body: { error: { code: 'AB01', param } },
    });
    expect(await dumpResources(app)).toBe(before);
  });

  it('is listed by workspace, group and role, a page at a time', async () => {
    const workspace = await makeWorkspace();
    const groups = [await makeGroup([]), await makeGroup([])];
    for (const group of groups) await mapped(group, 'manager', workspace);
    const list = async (query: string) => {
      const { body } = await app.rest('GET', `/v1/scim/workspaces?${query}`, { key: app.adminKey });
      return body as { mappings: object[] };
    };
    expect(await list(`workspace_id=${workspace}&page_size=1&page=1`)).toEqual({
      mappings: [expect.objectContaining({ scim_group_id: groups[0], role: 'manager' })],
      page: 1,
      page_size: 1,
      total_count: 2,
    });
    expect((await list(`scim_group_id=${groups[0]}&role=manager`)).mappings).toHaveLength(1);
    expect((await list(`workspace_id=${workspace}&role=admin`)).mappings).toEqual([]);
    expect(await list('page=200&page_size=500')).toMatchObject({ error: { code: 'AB01', param: 'page' } });
  });

  it('of a neighbour is neither seen nor used', async () => {
    const id = await mapped(await makeGroup([]));
    const list = await app.rest('GET', '/v1/scim/workspaces', { key: neighbour.adminKey });
    expect(list.body).toMatchObject({ mappings: [], total_count: 0 });
    const group = await makeGroup([]);
    const before = await dumpResources(app);
    expect((await unmap(id, neighbour.adminKey)).status).toBe(404);
    const stolen = { scim_group_id: group, role: 'member', workspace_id: neighbour.workspaceId };
    expect((await map(stolen, neighbour.adminKey)).status).toBe(400);
    expect(errorOf(await changeGroup(group, { displayName: 'Mine' }, neighbour.adminKey)).code).toBe(
      'NOT_FOUND',
    );
    expect(await dumpResources(app)).toBe(before);
  });
});

describe('what groups give', () => {
  it('is the strongest of their roles, and ends with the last of them', async () => {
    const user = await addUser(app);
    const [weak, strong] = [await makeGroup([user]), await makeGroup([user])];
    await mapped(weak, 'member');
    await mapped(strong, 'admin');
    expect(await placeOf(user)).toEqual(byGroup('admin'));
    dataOf(await changeGroup(strong, { removeMemberIds: [user._id] }));
    expect(await placeOf(user)).toEqual(byGroup('member'));
    dataOf(await app.graphql('mutation ($id: ID!) { deleteScimGroup(id: $id) }', { id: weak }));
    expect(await placeOf(user)).toBeNull();
  });

  it('is kept apart from what was given by hand', async () => {
    const user = await addUser(app, { inWorkspace: 'manager' });
    const key = await keyOf(user);
    const group = await makeGroup([user]);
    await mapped(group, 'member');
    expect(await placeOf(user)).toEqual({ role: 'manager', ownRole: 'manager', groupRole: 'member' });
    dataOf(await changeGroup(group, { memberIds: [] }));
    expect(await placeOf(user)).toEqual({ role: 'manager', ownRole: 'manager', groupRole: null });
    expect(await statusOf(key)).toBe(200);
  });

  it('can be added to by hand, and not taken away', async () => {
    const user = await addUser(app);
    const group = await makeGroup([user]);
    const id = await mapped(group, 'manager');
    const path = `/v1/admin/workspaces/${app.workspaceId}/users`;
    const rest = (method: string, place: string, body?: object) =>
      app.rest(method, place, { key: app.adminKey, body });
    const change = (role: string) => rest('PUT', `${path}/${user._id}`, { role });
    const leave = () => rest('DELETE', `${path}/${user._id}`);
    expect(await change('member')).toMatchObject({ status: 400, body: { error: { param: 'role' } } });
    expect((await leave()).status).toBe(409);
    expect(await placeOf(user)).toEqual(byGroup('manager'));

    const add = () => rest('POST', path, { users: [{ id: user._id, role: 'member' }] });
    expect((await add()).status).toBe(200);
    expect((await add()).status).toBe(409);
    expect(await placeOf(user)).toEqual({ role: 'manager', ownRole: 'member', groupRole: 'manager' });
    expect((await change('admin')).status).toBe(200);
    expect(await placeOf(user)).toEqual({ role: 'admin', ownRole: 'admin', groupRole: 'manager' });
    expect((await leave()).status).toBe(200);
    expect(await placeOf(user)).toEqual(byGroup('manager'));

    expect((await change('admin')).status).toBe(200);
    await unmap(id);
    expect(await placeOf(user)).toEqual({ role: 'admin', ownRole: 'admin', groupRole: null });
    expect((await leave()).status).toBe(200);
    expect(await placeOf(user)).toBeNull();
  });

  it('ends with the user', async () => {
    const user = await addUser(app);
    const group = await makeGroup([user]);
    await mapped(group);
    dataOf(await app.graphql('mutation ($id: ID!) { deleteUser(id: $id) }', { id: user._id }));
    for (const collection of ['members', 'scim_group_members'])
      expect(await app.db.collection(collection).countDocuments({ userId: user._id })).toBe(0);
  });

  it('is right after many changes at once', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => addUser(app)));
    const [one, two] = [await makeGroup([]), await makeGroup([])];
    await mapped(one, 'member');
    await mapped(two, 'manager');
    await Promise.all(
      users.flatMap(({ _id }, index) => [
        changeGroup(one, { addMemberIds: [_id] }),
        changeGroup(two, { addMemberIds: [_id] }),
        ...(index % 2 === 0 ? [changeGroup(two, { addMemberIds: [_id], removeMemberIds: [] })] : []),
      ]),
    );
    await Promise.all(users.slice(0, 4).map(({ _id }) => changeGroup(two, { removeMemberIds: [_id] })));
    const places = await Promise.all(users.map((user) => placeOf(user)));
    expect(places.map(({ role }) => role)).toEqual([...Array(4).fill('member'), ...Array(4).fill('manager')]);
  });
});

it('a group is shown with members and mappings', async () => {
  const user = await addUser(app);
  const id = await makeGroup([user]);
  const mapping = await mapped(id);
  const answer = await app.graphql(
    `query ($id: ID!) { scimGroup(id: $id) {
      displayName externalId members { id userName status } mappings { id role workspace { id } scimGroup { id } } } }`,
    { id },
  );
  expect(dataOf(answer).scimGroup).toEqual({
    displayName: expect.stringContaining('Group'),
    externalId: null,
    members: [{ id: user._id, userName: user.email, status: 'active' }],
    mappings: [{ id: mapping, role: 'member', workspace: { id: app.workspaceId }, scimGroup: { id } }],
  });
});
