import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditRows, dataOf, dump, dumpResources, errorOf, makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { linkFor, openBrowser, signedIn } from '../support/browser.ts';
import { addUser } from '../support/users.ts';

let now = Date.now();
let app: TestApp;
let neighbour: Tenant;
beforeAll(async () => {
  app = await startApp({}, undefined, () => new Date(now));
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const HOUR = 3_600_000;
const viewer =
  '{ viewer { kind id name email permissions tsgId signInEndsAt organisation { id } workspaces { id slug role } } }';
const chat = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] };

describe('a sign-in by link', () => {
  it('is a person, who may do what the role says', async () => {
    const user = await addUser(app, { role: 'admin' });
    const browser = await signedIn(app, user._id);
    const { viewer: shown } = dataOf(await browser.graphql(viewer));
    expect(shown).toMatchObject({
      kind: 'user',
      id: user._id,
      name: user.email,
      email: user.email,
      tsgId: app.tsgId,
      organisation: { id: app.organisationId },
      workspaces: [{ id: app.workspaceId, role: 'admin' }],
    });
    expect(shown.permissions).toContain('iam.access_policy');
    expect(Date.parse(shown.signInEndsAt)).toBe(now + 12 * HOUR);
  });

  it('works once', async () => {
    const link = await linkFor(app, (await addUser(app))._id);
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => openBrowser(app).send('POST', '/sign-in', { link })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    const refused = tries.find(({ status }) => status === 401);
    expect(refused?.body.error).toMatchObject({ code: 'AB05', message: expect.stringContaining('was used') });
    expect(refused?.headers.getSetCookie()).toEqual([]);
  });

  it('comes too late after 24 hours', async () => {
    const link = await linkFor(app, (await addUser(app))._id);
    now += 24 * HOUR;
    expect((await openBrowser(app).send('POST', '/sign-in', { link })).status).toBe(401);
  });

  it('is no key, and keys are no links', async () => {
    const link = await linkFor(app, (await addUser(app))._id);
    expect((await openBrowser(app).send('POST', '/sign-in', { key: link })).status).toBe(401);
    expect((await openBrowser(app).send('POST', '/sign-in', { link: app.adminKey })).status).toBe(401);
    expect((await app.rest('GET', '/v1/configs', { key: link })).status).toBe(401);
  });
});

describe('a sign-in by credential', () => {
  it('has exactly the scopes of its key, and ends with it', async () => {
    const key = await makeKey(app, 'workspace-service', { only: ['configs.list'] });
    const browser = openBrowser(app);
    await browser.signIn({ key });
    const { viewer: shown } = dataOf(await browser.graphql(viewer));
    expect(shown).toMatchObject({ kind: 'workspace-service', email: null, permissions: ['configs.list'] });
    expect(dataOf(await browser.graphql('{ configs { total } }')).configs.total).toBe(0);
    dataOf(await app.graphql('mutation ($id: ID!) { deleteApiKey(id: $id) }', { id: shown.id }));
    expect((await browser.graphql(viewer)).status).toBe(401);
  });

  it('is a service account, and ends with its secret', async () => {
    const token = await app.token();
    const make =
      'mutation { createServiceAccount(input: { name: "console-robot" }) { id clientSecret serviceAccount { displayName } } }';
    const asAccount = async (query: string, variables = {}) =>
      (
        await app.rest('POST', '/graphql', {
          key: null,
          headers: { authorization: `Bearer ${token}` },
          body: { query, variables },
        })
      ).body as any;
    const { createServiceAccount: made } = dataOf(await asAccount(make));
    const shown = { client_id: made.id, client_secret: made.clientSecret };
    const browser = openBrowser(app);
    expect((await browser.send('POST', '/sign-in', shown)).status).toBe(403);
    await asAccount(
      'mutation ($input: CreateAccessPolicyInput!) { createAccessPolicy(input: $input) { id } }',
      {
        input: {
          principal: made.serviceAccount.displayName,
          resource: `prn:${app.tsgId}::::`,
          role: 'view_only_admin',
        },
      },
    );
    await browser.signIn(shown);
    expect(dataOf(await browser.graphql(viewer)).viewer).toMatchObject({
      kind: 'service-account',
      id: made.id,
    });
    await asAccount('mutation ($id: ID!) { resetServiceAccountSecret(id: $id) { id } }', { id: made.id });
    expect((await browser.graphql(viewer)).status).toBe(401);
  });

  it.each([
    ['a wrong key', { key: `sl-${'x'.repeat(43)}` }],
    ['a wrong client', { client_id: 'nobody', client_secret: 'x' }],
  ])('is refused with %s', async (_what, shown) => {
    const answer = await openBrowser(app).send('POST', '/sign-in', shown);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
  });

  it.each([
    ['nothing', {}, 'body'],
    ['a list', [], 'body'],
    ['two things', { link: 'x', key: 'y' }, 'body'],
    ['half a client', { client_id: 'x' }, 'body'],
    ['a number', { key: 1 }, 'key'],
    ['an empty text', { link: '' }, 'link'],
    ['a long text', { key: 'x'.repeat(513) }, 'key'],
    ['another member', { password: 'x' }, 'password'],
  ])('needs one thing to show: %s', async (_what, body, param) => {
    const before = await dumpResources(app);
    const answer = await openBrowser(app).send('POST', '/sign-in', body);
    expect([answer.status, answer.body.error.param]).toEqual([400, param]);
    expect(await dumpResources(app)).toBe(before);
  });
});

describe('a member of the organisation', () => {
  it('acts in the workspaces that took the member in, and in no other', async () => {
    const user = await addUser(app, { inWorkspace: 'member' });
    const browser = await signedIn(app, user._id);
    expect(dataOf(await browser.graphql(viewer)).viewer).toMatchObject({
      workspaces: [{ id: app.workspaceId, role: 'member' }],
    });
    expect(dataOf(await browser.graphql('{ configs { total } }')).configs.total).toBe(0);
    expect(
      errorOf(
        await browser.graphql(
          'mutation { createConfig(input: { name: "x", config: { retry: { attempts: 1 } } }) { id } }',
        ),
      ),
    ).toMatchObject({ code: 'FORBIDDEN' });
    for (const workspace of [neighbour.workspaceId, 'nowhere', 'x'.repeat(500)]) {
      const refused = await browser.graphql('{ configs { total } }', {}, workspace);
      expect([refused.status, errorOf(refused)]).toEqual([
        403,
        { code: 'FORBIDDEN', param: 'x-gateway-workspace-id' },
      ]);
    }
  });

  it('of several workspaces chooses one', async () => {
    const user = await addUser(app, { inWorkspace: 'admin' });
    const second = (
      await app.rest('POST', '/v1/admin/workspaces', { key: app.adminKey, body: { name: 'Second' } })
    ).body as { slug: string };
    const join =
      'mutation ($w: ID!, $u: ID!) { createMembers(workspaceId: $w, input: { users: [{ id: $u, role: member }] }) { id } }';
    const browser = await signedIn(app, user._id);
    dataOf(await app.graphql(join, { w: second.slug, u: user._id }));
    const shown = dataOf(await browser.graphql(viewer)).viewer;
    expect([shown.permissions, shown.workspaces.length]).toEqual([[], 2]);
    const refused = await browser.graphql('{ configs { total } }');
    expect(refused.errors?.[0]?.message).toContain('x-gateway-workspace-id');
    const create =
      'mutation { createConfig(input: { name: "x", config: { retry: { attempts: 1 } } }) { id } }';
    expect(errorOf(await browser.graphql(create, {}, second.slug))).toMatchObject({ code: 'FORBIDDEN' });
    expect(dataOf(await browser.graphql(create, {}, app.workspaceId)).createConfig.id).toEqual(
      expect.any(String),
    );
    const leave = 'mutation ($w: ID!, $u: ID!) { deleteMember(workspaceId: $w, userId: $u) }';
    dataOf(await app.graphql(leave, { w: app.workspaceId, u: user._id }));
    expect((await browser.graphql(create, {}, app.workspaceId)).status).toBe(403);
  });

  it('infers in a workspace as itself, and the log says so', async () => {
    const user = await addUser(app, { inWorkspace: 'admin' });
    const browser = await signedIn(app, user._id);
    const { status, body } = await browser.send('POST', '/v1/chat/completions', chat);
    expect([status, body.choices[0].message.content]).toEqual([200, 'Hello']);
    await app.logged();
    const [log] = await app.db.collection('logs').find({ userId: user._id }).toArray();
    expect(log).toMatchObject({ apiKeyId: user._id, workspaceId: app.workspaceId, source: 'console' });
    const reader = await signedIn(app, (await addUser(app, { inWorkspace: 'member' }))._id);
    expect((await reader.send('POST', '/v1/chat/completions', chat)).status).toBe(403);
  });
});

describe('an admin', () => {
  it('infers in the workspace that the request names', async () => {
    const browser = await signedIn(app, (await addUser(app, { role: 'admin' }))._id);
    const inWorkspace = { 'x-gateway-workspace-id': app.workspaceId };
    expect((await browser.send('POST', '/v1/chat/completions', chat, inWorkspace)).status).toBe(200);
    expect((await browser.send('POST', '/v1/chat/completions', chat)).status).toBe(403);
  });

  it('administers identities of the tenant', async () => {
    const browser = await signedIn(app, (await addUser(app, { role: 'admin' }))._id);
    expect(
      dataOf(await browser.graphql('{ serviceAccounts { total } }')).serviceAccounts.total,
    ).toBeGreaterThan(0);
  });
});

describe('a sign-in', () => {
  const list = '{ signIns { total data { id userId method isCurrent lastSeenAt endsAt } } }';

  it('ends 12 hours after its last use, and after 7 days', async () => {
    const user = await addUser(app, { role: 'admin' });
    const browser = await signedIn(app, user._id);
    const seen = async () =>
      (await app.db.collection('sign_ins').findOne({ userId: user._id }))?.endsAt.getTime();
    for (let halfDays = 1; halfDays <= 14; halfDays++) {
      now += 11 * HOUR;
      expect((await browser.graphql(viewer)).status).toBe(200);
      while ((await seen()) < now + HOUR && halfDays < 14)
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const stored = await app.db.collection('users').findOne({ _id: user._id as never });
    expect(now - stored?.lastSeenAt.getTime()).toBeLessThan(13 * HOUR);
    now += 15 * HOUR;
    expect((await browser.graphql(viewer)).status).toBe(401);
    const idle = await signedIn(app, user._id);
    now += 12 * HOUR;
    expect((await idle.graphql(viewer)).status).toBe(401);
  });

  it('is listed and revoked by its person, and by administrators, and by nobody else', async () => {
    const user = await addUser(app, { inWorkspace: 'member' });
    const [one, two] = [await signedIn(app, user._id), await signedIn(app, user._id)];
    const shown = dataOf(await one.graphql(list)).signIns;
    expect(shown.data.map(({ userId, method, isCurrent }: any) => [userId, method, isCurrent])).toEqual([
      [user._id, 'link', false],
      [user._id, 'link', true],
    ]);
    const revoke = 'mutation ($id: ID!) { revokeSignIn(id: $id) }';
    const [{ id }] = shown.data;
    for (const key of [neighbour.adminKey, app.workspaceKey]) {
      expect(JSON.stringify(dataOf(await app.graphql(list, {}, key)))).not.toContain(user._id);
      expect(errorOf(await app.graphql(revoke, { id }, key)).code).toBe('NOT_FOUND');
    }
    const stranger = await signedIn(app, (await addUser(app, { inWorkspace: 'admin' }))._id);
    expect(errorOf(await stranger.graphql(revoke, { id })).code).toBe('NOT_FOUND');
    expect((await two.graphql(viewer)).status).toBe(200);
    expect(dataOf(await one.graphql(revoke, { id })).revokeSignIn).toBe(id);
    expect([(await one.graphql(viewer)).status, (await two.graphql(viewer)).status]).toEqual([200, 401]);
    const [own] = dataOf(await one.graphql(list)).signIns.data;
    dataOf(await app.graphql(revoke, { id: own.id }));
    expect((await one.graphql(viewer)).status).toBe(401);
    expect(errorOf(await app.graphql(revoke, { id: own.id })).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'sign_in', targetId: own.id });
    expect(rows.map(({ action, userType, outcome }) => [action, userType, outcome])).toEqual([
      ['create', 'user', 'success'],
      ['revoke', 'api_key', 'success'],
      ['revoke', 'api_key', 'failed'],
    ]);
  });

  it('ends at its own wish, twice over', async () => {
    const browser = await signedIn(app, (await addUser(app))._id);
    const { cookie } = browser;
    const out = await browser.send('DELETE', '/sign-in');
    expect([out.status, browser.cookie]).toEqual([204, '']);
    browser.cookie = cookie;
    expect((await browser.graphql(viewer)).status).toBe(401);
    expect((await browser.send('DELETE', '/sign-in')).status).toBe(204);
  });

  it('ends with its user', async () => {
    const user = await addUser(app, { role: 'admin' });
    const browser = await signedIn(app, user._id);
    dataOf(await app.graphql('mutation ($id: ID!) { deleteUser(id: $id) }', { id: user._id }));
    expect((await browser.graphql(viewer)).status).toBe(401);
    expect(await app.db.collection('sign_ins').findOne({ userId: user._id })).toBeNull();
  });

  it('loses at once what its role loses', async () => {
    const user = await addUser(app, { role: 'admin' });
    const browser = await signedIn(app, user._id);
    dataOf(await browser.graphql('{ users { total } }'));
    dataOf(
      await app.graphql('mutation ($id: ID!) { updateUser(id: $id, input: { role: member }) { id } }', {
        id: user._id,
      }),
    );
    expect(errorOf(await browser.graphql('{ users { total } }')).code).toBe('FORBIDDEN');
  });

  it('is one of 50 at most: the oldest ends', async () => {
    const key = await makeKey(app, 'workspace-user', { only: ['models.list'] });
    const first = openBrowser(app);
    await first.signIn({ key });
    for (let count = 1; count < 50; count++) await openBrowser(app).signIn({ key });
    expect((await first.graphql(viewer)).status).toBe(200);
    await openBrowser(app).signIn({ key });
    expect((await first.graphql(viewer)).status).toBe(401);
  });

  it('leaves its secret in no sink', async () => {
    const browser = await signedIn(app, (await addUser(app, { inWorkspace: 'admin' }))._id);
    await browser.send('POST', '/v1/chat/completions', chat);
    await browser.graphql('mutation { deleteConfig(id: "none") }');
    await app.logged();
    const secret = browser.cookie.split('=')[1] ?? '';
    expect(secret).toMatch(/^sl-/);
    expect(await dump(app)).not.toContain(secret);
  });
});
