import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { addUser } from '../support/users.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.adminKey) =>
  app.rest(method, `/v1/admin/users${path}`, { key, body });

describe('/v1/admin/users', () => {
  it('reads, lists, updates and deletes', async () => {
    const user = await addUser(app, { email: 'ada@example.com', inWorkspace: 'manager' });
    await addUser(app, { tenant: neighbour, email: 'ada@example.com' });
    const shown = {
      id: user._id,
      first_name: 'Ada',
      last_name: 'Lovelace',
      role: 'member',
      email: 'ada@example.com',
      created_at: time,
      last_updated_at: time,
      workspace_ids: [app.workspaceId],
      object: 'user',
    };
    expect(bodyOf(await call('GET', `/${user._id}`))).toEqual(shown);
    const list = { object: 'list', total: 1, data: [shown] };
    expect(bodyOf(await call('GET', ''))).toEqual(list);
    expect(bodyOf(await call('GET', '?email=ADA@example.com&role=member&pageSize=1&currentPage=0'))).toEqual(
      list,
    );
    expect(bodyOf(await call('GET', '?role=admin')).total).toBe(0);
    expect(bodyOf(await call('PUT', `/${user._id}`, { role: 'admin' }))).toEqual({});
    expect(bodyOf(await call('GET', `/${user._id}`)).role).toBe('admin');
    const hidden = await call('GET', `/${user._id}`, undefined, neighbour.adminKey);
    expect(refusalOf(hidden)).toMatchObject({ status: 404, code: 'AB08' });
    expect(bodyOf(await call('DELETE', `/${user._id}`))).toEqual({});
    expect(refusalOf(await call('DELETE', `/${user._id}`))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it.each([
    ['a role that cannot be given', { role: 'owner' }, 'role'],
    ['a member that does not exist', { email: 'new@example.com' }, 'email'],
  ])('refuses %s', async (_what, body, param) => {
    const { _id } = await addUser(app);
    expect(refusalOf(await call('PUT', `/${_id}`, body))).toMatchObject({ status: 400, param });
  });

  it('refuses a list by what is no role and no address', async () => {
    expect(refusalOf(await call('GET', '?role=boss'))).toMatchObject({ status: 400, param: 'role' });
    expect(refusalOf(await call('GET', '?email=ada'))).toMatchObject({ status: 400, param: 'email' });
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['logs.list'] });
    const { _id } = await addUser(app);
    const path = `/v1/admin/users/${_id}`;
    await expectGuarded(app, ['GET', '/v1/admin/users'], key);
    await expectGuarded(app, ['GET', path], key);
    await expectGuarded(app, ['PUT', path, { role: 'admin' }], key);
    await expectGuarded(app, ['DELETE', path], key);
  });
});

describe('/v1/admin/users/invites', () => {
  const invite = { email: 'Grace@Example.com', role: 'member', workspaces: [] };
  const make = async (body: object) => bodyOf(await call('POST', '/invites', body));

  it('makes, reads, lists, sends again and cancels', async () => {
    const given = { ...invite, workspaces: [{ id: app.workspaceId, role: 'manager' }] };
    const made = await make({ ...given, workspace_api_key_details: { scopes: ['logs.list'] } });
    expect(made).toEqual({ id, invite_link: expect.stringContaining(`${app.url}/invites/sl-`) });
    const shown = bodyOf(await call('GET', `/invites/${made.id}`));
    expect(shown).toEqual({
      id: made.id,
      email: 'grace@example.com',
      role: 'member',
      created_at: time,
      expires_at: time,
      accepted_at: null,
      status: 'pending',
      invited_by: id,
      workspaces: [{ workspace_id: app.workspaceId, role: 'manager' }],
      object: 'invite',
    });
    const query = '?email=grace@example.com&role=member&status=pending&pageSize=5&currentPage=0';
    const list = { object: 'list', total: 1, data: [shown] };
    expect(bodyOf(await call('GET', `/invites${query}`))).toEqual(list);
    const again = bodyOf(await call('POST', `/invites/${made.id}/resend`));
    expect(again).toEqual({ inviteLink: expect.stringContaining('/invites/sl-') });
    expect(again.inviteLink).not.toBe(made.invite_link);
    expect(bodyOf(await call('DELETE', `/invites/${made.id}`))).toEqual({});
    expect(bodyOf(await call('GET', '/invites?status=cancelled')).data).toMatchObject([{ id: made.id }]);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/resend'],
    ] as const) {
      const hidden = await call(method, `/invites/${made.id}${path}`, undefined, neighbour.adminKey);
      expect(refusalOf(hidden)).toMatchObject({ status: 404, code: 'AB08' });
    }
  });

  it.each([
    ['no address', { ...invite, email: undefined }, 'email'],
    ['an address that is none', { ...invite, email: 'grace' }, 'email'],
    ['the role of an owner', { ...invite, role: 'owner' }, 'role'],
    ['no workspaces', { ...invite, workspaces: undefined }, 'workspaces'],
    ['an unknown workspace', { ...invite, workspaces: [{ id: 'no', role: 'admin' }] }, 'workspaces[0].id'],
    [
      'a scope that a user key cannot hold',
      { ...invite, workspace_api_key_details: { scopes: ['workspaces.create'] } },
      'workspace_api_key_details.scopes[0]',
    ],
  ])('refuses %s', async (_what, body, param) => {
    expect(refusalOf(await call('POST', '/invites', body))).toEqual({ status: 400, code: 'AB01', param });
  });

  it('refuses an address that is invited, or a user, already', async () => {
    await make({ ...invite, email: 'twice@example.com' });
    await addUser(app, { email: 'known@example.com' });
    for (const email of ['Twice@example.com', 'known@example.com']) {
      const refusal = { status: 409, code: 'AB07', param: 'email' };
      expect(refusalOf(await call('POST', '/invites', { ...invite, email }))).toEqual(refusal);
    }
  });

  it('refuses to cancel or send what is cancelled', async () => {
    const { id: inviteId } = await make({ ...invite, email: 'gone@example.com' });
    bodyOf(await call('DELETE', `/invites/${inviteId}`));
    const refusal = { status: 400, code: 'AB01', param: 'inviteId' };
    expect(refusalOf(await call('DELETE', `/invites/${inviteId}`))).toEqual(refusal);
    expect(refusalOf(await call('POST', `/invites/${inviteId}/resend`))).toEqual(refusal);
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['logs.list'] });
    const { id: inviteId } = await make({ ...invite, email: 'guarded@example.com' });
    const path = `/v1/admin/users/invites/${inviteId}`;
    await expectGuarded(app, ['POST', '/v1/admin/users/invites', invite], key);
    await expectGuarded(app, ['GET', '/v1/admin/users/invites'], key);
    await expectGuarded(app, ['GET', path], key);
    await expectGuarded(app, ['DELETE', path], key);
    await expectGuarded(app, ['POST', `${path}/resend`], key);
  });
});
