import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { addUser } from '../support/users.ts';
import { bodyOf, expectGuarded, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;
let workspace: string;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  workspace = bodyOf(
    await app.rest('POST', '/v1/admin/workspaces', { key: app.adminKey, body: { name: 'Team' } }),
  ).id;
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.adminKey) =>
  app.rest(method, `/v1/admin/workspaces/${workspace}/users${path}`, { key, body });

describe('/v1/admin/workspaces/{workspaceId}/users', () => {
  it('takes in, reads, lists, updates and puts out', async () => {
    const user = await addUser(app, { email: 'ada@example.com' });
    expect(bodyOf(await call('POST', '', { users: [{ id: user._id, role: 'member' }] }))).toEqual({});
    const shown = bodyOf(await call('GET', `/${user._id}`));
    expect(shown).toEqual({
      id: user._id,
      first_name: 'Ada',
      last_name: 'Lovelace',
      org_role: 'member',
      role: 'member',
      created_at: time,
      last_updated_at: time,
      status: 'active',
      workspace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: 'ada@example.com',
      scopes: expect.arrayContaining(['logs.list']),
      object: 'workspace-user',
    });
    const list = { object: 'list', total: 1, data: [shown] };
    expect(bodyOf(await call('GET', ''))).toEqual(list);
    const query = '?role=member&email=ada@example.com&page_size=1&current_page=0';
    expect(bodyOf(await call('GET', query))).toEqual(list);
    expect(bodyOf(await call('GET', '?role=admin')).total).toBe(0);
    const whole = await app.rest('GET', `/v1/admin/workspaces/${workspace}`, { key: app.adminKey });
    expect(bodyOf(whole).users).toEqual([shown]);
    expect(bodyOf(await call('PUT', `/${user._id}`, { role: 'manager' }))).toEqual({});
    expect(bodyOf(await call('GET', `/${user._id}`)).role).toBe('manager');
    const hidden = await call('GET', `/${user._id}`, undefined, neighbour.adminKey);
    expect(refusalOf(hidden)).toMatchObject({ status: 404, code: 'AB08' });
    expect(bodyOf(await call('DELETE', `/${user._id}`))).toEqual({});
    expect(refusalOf(await call('DELETE', `/${user._id}`))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it('refuses who is no user, who is in already, and a role that is none', async () => {
    const { _id: id } = await addUser(app, { email: 'grace@example.com' });
    const stranger = await addUser(app, { tenant: neighbour });
    const post = async (users: object[]) => refusalOf(await call('POST', '', { users }));
    bodyOf(await call('POST', '', { users: [{ id, role: 'member' }] }));
    expect(await post([{ id, role: 'member' }])).toEqual({ status: 409, code: 'AB07', param: 'users[0].id' });
    const invalid = { status: 400, code: 'AB01' };
    expect(await post([{ id: stranger._id, role: 'member' }])).toEqual({ ...invalid, param: 'users[0].id' });
    expect(await post([{ id, role: 'owner' }])).toEqual({ ...invalid, param: 'users[0].role' });
    expect(await post([])).toEqual({ ...invalid, param: 'users' });
    expect(refusalOf(await call('PUT', `/${id}`, { role: 'owner' }))).toEqual({ ...invalid, param: 'role' });
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['logs.list'] });
    const { _id: id } = await addUser(app);
    const path = `/v1/admin/workspaces/${workspace}/users`;
    await expectGuarded(app, ['GET', path], key);
    await expectGuarded(app, ['POST', path, { users: [{ id, role: 'member' }] }], key);
    await expectGuarded(app, ['GET', `${path}/${id}`], key);
    await expectGuarded(app, ['PUT', `${path}/${id}`, { role: 'admin' }], key);
    await expectGuarded(app, ['DELETE', `${path}/${id}`], key);
  });
});
