import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountWith, createAccount, createNeighbour, tokenOf } from '../subgraphs/identity/accounts.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { bodyOf, id, refusalOf } from './support.ts';

let app: TestApp;
let admin: string;
let neighbour: Tenant & { token: string };

beforeAll(async () => {
  app = await startApp();
  admin = await app.token();
  neighbour = await createNeighbour(app);
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, token: string | null = admin) =>
  app.rest(method, `/iam/v1/access_policies${path}`, {
    key: null,
    body,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
const policy = (change: object = {}) => ({
  role: 'view_only_admin',
  resource: `prn:${app.tsgId}::::`,
  principal: 'someone@example.com',
  ...change,
});

describe('/iam/v1/access_policies', () => {
  it('makes, lists and deletes', async () => {
    const given = policy({
      principal: 'ann@example.com',
      resource: `prn:${app.tsgId}::::${app.workspaceId}`,
    });
    const made = bodyOf(await call('POST', '', given), 201);
    expect(made).toEqual({ id });
    const row = { id: made.id, ...given };
    expect(bodyOf(await call('GET', '?principal=ann%40example.com'))).toEqual({ data: [row], total: 1 });
    expect(bodyOf(await call('GET', `?workspace_id=${app.workspaceId}`)).data).toEqual([row]);
    expect(bodyOf(await call('DELETE', `/${made.id}`))).toEqual({});
    expect(refusalOf(await call('DELETE', `/${made.id}`))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it('answers in pages', async () => {
    for (const name of ['p1', 'p2', 'p3']) {
      bodyOf(
        await call('POST', '', policy({ principal: `${name}@example.com`, role: 'workspace_member' })),
        201,
      );
    }
    const page = bodyOf(await call('GET', '?role=workspace_member&page_size=2&current_page=1'));
    expect(page).toMatchObject({ total: 3, data: [{ principal: 'p1@example.com' }] });
  });

  it('takes a principal that does not exist, and answers 409 to the same again', async () => {
    const body = policy({ principal: `nobody@${app.tsgId}.iam.sluice.local` });
    bodyOf(await call('POST', '', body), 201);
    expect(refusalOf(await call('POST', '', body))).toMatchObject({ status: 409, code: 'AB07' });
    expect(bodyOf(await call('GET', `?principal=${encodeURIComponent(body.principal)}`)).total).toBe(1);
  });

  it.each([
    ['no role', () => ({ role: undefined }), 400, 'AB01', 'role'],
    ['an unknown role', () => ({ role: 'king' }), 400, 'AB01', 'role'],
    ['a malformed resource', () => ({ resource: 'prn:' }), 400, 'AB01', 'resource'],
    [
      "another tenant's resource",
      () => ({ resource: `prn:${neighbour.tsgId}::::` }),
      401,
      'AB05',
      'resource',
    ],
    ['an unknown workspace', () => ({ resource: `prn:${app.tsgId}::::no` }), 400, 'AB01', 'resource'],
    ['a principal that is none', () => ({ principal: 'x' }), 400, 'AB01', 'principal'],
    ['a member that it does not know', () => ({ effect: 'allow' }), 400, 'unknown_parameter', 'effect'],
  ])('refuses %s', async (_what, change, status, code, param) => {
    expect(refusalOf(await call('POST', '', policy(change())))).toEqual({ status, code, param });
  });

  it('is for access tokens with the permission, on their own tenant', async () => {
    const { id: known } = bodyOf(await call('POST', '', policy({ role: 'workspace_admin' })), 201);
    const limited = await accountWith(app, admin, ['iam.custom_role']);
    const calls = [
      ['POST', '', policy({ principal: 'guarded@example.com' })],
      ['GET', ''],
      ['DELETE', `/${known}`],
    ] as const;
    for (const [method, path, body] of calls) {
      const answer = async (token: string | null) => refusalOf(await call(method, path, body, token));
      expect(await answer(null)).toMatchObject({ status: 401, code: 'AB05' });
      expect(await answer(app.adminKey)).toMatchObject({ status: 401, code: 'AB05' });
      expect(await answer(limited.token)).toMatchObject({ status: 403, code: 'AB03' });
    }
    expect(refusalOf(await call('DELETE', `/${known}`, undefined, neighbour.token)).status).toBe(404);
    expect(bodyOf(await call('GET', '', undefined, neighbour.token)).total).toBe(1);
    expect(bodyOf(await call('GET', '?principal=guarded%40example.com')).total).toBe(0);
    expect(bodyOf(await call('GET', '?role=workspace_admin')).data).toMatchObject([{ id: known }]);
  });

  it('gives no more than its caller holds', async () => {
    const { token } = await accountWith(app, admin, ['iam.access_policy']);
    const body = policy({ principal: 'greedy@example.com', role: 'superuser' });
    expect(refusalOf(await call('POST', '', body, token))).toEqual({
      status: 403,
      code: 'AB03',
      param: 'role',
    });
    expect(bodyOf(await call('GET', '?principal=greedy%40example.com')).total).toBe(0);
  });

  it('counts for the next token, and ends with the policy for the next request', async () => {
    const account = await createAccount(app, admin);
    const body = policy({ principal: account.displayName, role: 'superuser' });
    const made = bodyOf(await call('POST', '', body), 201);
    const token = await tokenOf(app, account);
    bodyOf(await call('GET', '', undefined, token));
    bodyOf(await call('DELETE', `/${made.id}`));
    expect(refusalOf(await call('GET', '', undefined, token))).toMatchObject({ status: 401, code: 'AB05' });
  });
});
