import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountWith } from '../subgraphs/identity/accounts.ts';
import { dumpResources } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addUser } from '../support/users.ts';
import { bodyOf, id, refusalOf } from './support.ts';

let app: TestApp;
let admin: string;
/** Slug of a second workspace of the tenant. */
let elsewhere: string;
let member: string;

beforeAll(async () => {
  app = await startApp();
  admin = await app.token();
  const workspace = { key: admin, body: { name: 'Elsewhere' } };
  elsewhere = bodyOf(await app.rest('POST', '/v2/admin/workspaces', workspace)).id;
  member = (await addUser(app, { inWorkspace: 'member' }))._id;
});
afterAll(() => app.stop());

const create = (token: string, kind: string, body: object = {}, base = '/v2') =>
  app.rest('POST', `${base}/api-keys/${kind}`, {
    key: null,
    headers: { authorization: `Bearer ${token}` },
    body: { name: 'made by a role', scopes: ['logs.list'], ...body },
  });

const made = { id, key: expect.stringMatching(/^sl-/), object: 'api-key' };

async function expectMade(...[token, kind, body]: Parameters<typeof create>) {
  expect(bodyOf(await create(token, kind, body))).toEqual(made);
}

async function expectForbidden(...[token, kind, body]: Parameters<typeof create>) {
  const before = await dumpResources(app);
  expect(refusalOf(await create(token, kind, body))).toMatchObject({ status: 403, code: 'AB03' });
  expect(await dumpResources(app)).toBe(before);
}

const own = () => ({ workspace_id: app.workspaceId });
const other = () => ({ workspace_id: elsewhere });

describe.each(['organisation_owner', 'organisation_admin', 'superuser'])('the role %s', (role) => {
  let token: string;
  beforeAll(async () => {
    ({ token } = await accountWith(app, admin, role));
  });

  it('makes Admin keys', () => expectMade(token, 'organisation/service'));
  it('makes Workspace keys in any workspace', async () => {
    await expectMade(token, 'workspace/service', own());
    await expectMade(token, 'workspace/service', other());
    await expectMade(token, 'workspace/user', { ...own(), user_id: member });
    await expectMade(token, 'workspace/user', other());
  });
  it('makes keys that may infer, and Admin keys that may not', async () => {
    const scopes = ['completions.write'];
    await expectMade(token, 'workspace/service', { ...own(), scopes });
    const refused = await create(token, 'organisation/service', { scopes });
    expect(refusalOf(refused)).toEqual({ status: 400, code: 'AB01', param: 'scopes[0]' });
  });
});

describe.each(['workspace_manager', 'workspace_admin'])('the role %s on one workspace', (role) => {
  let token: string;
  beforeAll(async () => {
    ({ token } = await accountWith(app, admin, role, { workspaceId: app.workspaceId }));
  });

  it('makes no Admin keys', () => expectForbidden(token, 'organisation/service'));
  it('makes Workspace keys in that workspace, named or not', async () => {
    await expectMade(token, 'workspace/service', own());
    await expectMade(token, 'workspace/service');
    await expectMade(token, 'workspace/user', { user_id: member, scopes: ['completions.write'] });
  });
  it('makes none in another workspace', async () => {
    await expectForbidden(token, 'workspace/service', other());
    await expectForbidden(token, 'workspace/user', other());
  });
  it('gives no scope of the organisation', async () => {
    const refused = await create(token, 'workspace/service', { scopes: ['logs.list', 'workspaces.create'] });
    expect(refusalOf(refused)).toEqual({ status: 400, code: 'AB01', param: 'scopes[1]' });
  });
});

describe.each([
  ['workspace_member', true],
  ['workspace_member', false],
  ['organisation_member', false],
  ['view_only_admin', false],
] as const)('the role %s (on one workspace: %s)', (role, onWorkspace) => {
  it('makes no keys', async () => {
    const place = onWorkspace ? { workspaceId: app.workspaceId } : {};
    const { token } = await accountWith(app, admin, role, place);
    await expectForbidden(token, 'organisation/service');
    await expectForbidden(token, 'workspace/service', own());
    await expectForbidden(token, 'workspace/user', own());
  });
});

describe('a key that is made by a role', () => {
  it('has no scope that the role lacks', async () => {
    const { token } = await accountWith(app, admin, 'workspace_manager', { workspaceId: app.workspaceId });
    const before = await dumpResources(app);
    const refused = await create(token, 'workspace/service', { scopes: ['logs.list', 'policies.create'] });
    expect(refusalOf(refused)).toEqual({ status: 403, code: 'AB03', param: 'scopes[1]' });
    expect(await dumpResources(app)).toBe(before);
  });

  it('does not expire in the past', async () => {
    const refused = await create(admin, 'organisation/service', { expires_at: '2020-01-01T00:00:00Z' });
    expect(refusalOf(refused)).toEqual({ status: 400, code: 'AB01', param: 'expires_at' });
  });

  it('is made at /v1 as well', async () => {
    expect(bodyOf(await create(admin, 'workspace/service', own(), '/v1'))).toEqual(made);
  });

  it('is bound to the workspace that x-gateway-workspace-id narrows the token to', async () => {
    const headers = { authorization: `Bearer ${admin}`, 'x-gateway-workspace-id': elsewhere };
    const send = (kind: string, body: object) =>
      app.rest('POST', `/v2/api-keys/${kind}`, {
        key: null,
        headers,
        body: { name: 'narrow', scopes: ['logs.list'], ...body },
      });
    bodyOf(await send('workspace/service', {}));
    for (const [kind, body] of [
      ['organisation/service', {}],
      ['workspace/service', own()],
    ] as const) {
      expect(refusalOf(await send(kind, body))).toMatchObject({ status: 403, code: 'AB03' });
    }
  });

  it('is not made by a gateway key at /v2, however mighty', async () => {
    const body = { name: 'x', scopes: ['logs.list'], ...own() };
    const before = await dumpResources(app);
    const places: Record<string, string>[] = [
      { 'x-gateway-api-key': app.adminKey },
      { authorization: `Bearer ${app.adminKey}` },
    ];
    for (const headers of places) {
      const answer = await app.rest('POST', '/v2/api-keys/workspace/service', { key: null, headers, body });
      expect(refusalOf(answer)).toMatchObject({ status: 401, code: 'AB05' });
    }
    expect(await dumpResources(app)).toBe(before);
  });
});

describe('a rotation by a role', () => {
  const rotate = async (token: string, body: object = {}) => {
    const key = bodyOf(await create(admin, 'workspace/service', { ...own(), ...body }));
    return app.rest('POST', `/v2/api-keys/${key.id}/rotate`, {
      key: null,
      headers: { authorization: `Bearer ${token}` },
    });
  };

  it('takes a manager of the workspace, for keys that may do what the manager may', async () => {
    const { token } = await accountWith(app, admin, 'workspace_manager', { workspaceId: app.workspaceId });
    bodyOf(await rotate(token));
    const refused = await rotate(token, { scopes: ['policies.create'] });
    expect(refusalOf(refused)).toMatchObject({ status: 403, code: 'AB03' });
    const elsewhereOnly = await rotate(token, other());
    expect(refusalOf(elsewhereOnly)).toMatchObject({ status: 404, code: 'AB08' });
  });

  it('takes no member', async () => {
    const { token } = await accountWith(app, admin, 'workspace_member', { workspaceId: app.workspaceId });
    expect(refusalOf(await rotate(token))).toMatchObject({ status: 403, code: 'AB03' });
  });
});
