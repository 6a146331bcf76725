import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSecrets } from '../../../src/storage/secrets.ts';
import { makeSignInLink } from '../../../src/subgraphs/identity/sign-in-link/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { openBrowser, signedIn } from '../../support/browser.ts';
import { addUser } from '../../support/users.ts';
import { describeAccess } from '../access.ts';
import { auditRows, dataOf, dumpResources, errorOf, makeKey } from '../support.ts';

const masterKey = randomBytes(32);
const secrets = createSecrets(masterKey);
let now = Date.now();
let app: TestApp;
let neighbour: Tenant;
let subject: string;

beforeAll(async () => {
  app = await startApp({ ENCRYPTION_KEY: masterKey.toString('base64') }, undefined, () => new Date(now));
  neighbour = await app.createTenant();
  subject = (await addUser(app))._id;
});
afterAll(() => app.stop());

const userId = () => ({ userId: subject });

describeAccess(() => ({ app, neighbour }), 'organisation-service', {
  createSignInLink: {
    document: 'mutation ($userId: ID!) { createSignInLink(userId: $userId) { id } }',
    variables: userId,
    scopes: ['organisation_users.update'],
    audit: 'sign_in_link.create',
  },
  transferOwnership: {
    document: 'mutation ($userId: ID!) { transferOwnership(userId: $userId) { id } }',
    variables: userId,
    scopes: ['organisation_users.update'],
    audit: 'user.transfer_ownership',
  },
});

async function setUpLink(tenant: Tenant): Promise<string> {
  const maker = { db: app.db, secrets, now: () => new Date(now) };
  const { organisationId } = tenant;
  return (await makeSignInLink(maker, { organisationId, userId: null, createdBy: null, livesMs: 900_000 }))
    .secret;
}
const names = { firstName: 'Ada', lastName: 'Lovelace' };
const createOwner = async (token: string, email = 'Ada@Example.com') => {
  const document = `mutation ($input: CreateOwnerInput!) {
    createOwner(input: $input) { userId email organisationId signInLink expiresAt }
  }`;
  const body = { query: document, variables: { input: { token, email, ...names } } };
  return (await app.rest('POST', '/graphql', { key: null, body })).body as any;
};
const ownersOf = ({ organisationId }: Tenant) =>
  app.db.collection('users').find({ organisationId, role: 'owner' }).toArray();
const transfer = 'mutation ($id: ID!) { transferOwnership(userId: $id) { id role } }';
const link = 'mutation ($id: ID!) { createSignInLink(userId: $id) { signInLink expiresAt } }';

describe('the first owner', () => {
  it('is made by a set-up link, once, and signed in by the answer', async () => {
    const tenant = await app.createTenant();
    const [one, two] = [await setUpLink(tenant), await setUpLink(tenant)];
    const answers = await Promise.all([
      createOwner(one),
      createOwner(one),
      createOwner(two, 'b@example.com'),
    ]);
    const made = answers.filter(({ data }) => data).map(({ data }) => data.createOwner);
    expect(made).toHaveLength(1);
    expect(await ownersOf(tenant)).toMatchObject([{ ...names, _id: made[0].userId }]);
    for (const token of [one, two]) expect(errorOf(await createOwner(token)).code).toBe('NOT_FOUND');
    const browser = openBrowser(app);
    expect(made[0].signInLink).toMatch(`${app.url}/console/#sl-`);
    await browser.signIn({ link: made[0].signInLink.split('#')[1] });
    const { viewer } = dataOf(await browser.graphql('{ viewer { kind id organisation { id } } }'));
    expect(viewer).toEqual({ kind: 'user', id: made[0].userId, organisation: { id: tenant.organisationId } });
    const rows = await auditRows(app, { organisationId: tenant.organisationId, action: 'create_owner' });
    expect(rows).toMatchObject([{ outcome: 'success', targetId: made[0].userId, userType: 'user' }]);
    expect(JSON.stringify(rows)).not.toContain(one);
  });

  it('may have been a user before', async () => {
    const tenant = await app.createTenant();
    const user = await addUser(app, { tenant, email: 'grace@example.com', firstName: 'Grace' });
    const { createOwner: made } = dataOf(await createOwner(await setUpLink(tenant), 'GRACE@example.com'));
    expect(made.userId).toBe(user._id);
    expect(await ownersOf(tenant)).toMatchObject([{ firstName: 'Grace' }]);
  });

  it('is not made late, by a link of another kind, or beside another owner', async () => {
    const tenant = await app.createTenant();
    const late = await setUpLink(tenant);
    now += 900_000;
    expect(errorOf(await createOwner(late)).code).toBe('NOT_FOUND');
    const user = await addUser(app, { tenant });
    const made = dataOf(await app.graphql(link, { id: user._id }, tenant.adminKey)).createSignInLink;
    expect(errorOf(await createOwner(made.signInLink.split('#')[1])).code).toBe('NOT_FOUND');
    const third = await setUpLink(tenant);
    expect((await openBrowser(app).send('POST', '/sign-in', { link: third })).status).toBe(401);
    await addUser(app, { tenant, role: 'owner' });
    expect(errorOf(await createOwner(third)).code).toBe('ALREADY_EXISTS');
    expect(await ownersOf(tenant)).toHaveLength(1);
  });

  it('needs an address and a name', async () => {
    const tenant = await app.createTenant();
    const token = await setUpLink(tenant);
    expect(errorOf(await createOwner(token, 'nobody'))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.email',
    });
    expect(await ownersOf(tenant)).toEqual([]);
    dataOf(await createOwner(token));
  });

  it('is named by whoever holds all that owners may do', async () => {
    const tenant = await app.createTenant();
    const user = await addUser(app, { tenant });
    const before = await dumpResources(app);
    const weak = await weakKey(tenant);
    expect(errorOf(await app.graphql(transfer, { id: user._id }, weak)).code).toBe('FORBIDDEN');
    expect(errorOf(await app.graphql(transfer, { id: subject }, tenant.adminKey))).toEqual({
      code: 'NOT_FOUND',
      param: 'userId',
    });
    expect(await dumpResources(app)).not.toContain('"role":"owner","userId"');
    expect(before).toBeTruthy();
    expect(
      dataOf(await app.graphql(transfer, { id: user._id }, tenant.adminKey)).transferOwnership.role,
    ).toBe('owner');
    const other = await addUser(app, { tenant });
    expect(errorOf(await app.graphql(transfer, { id: other._id }, tenant.adminKey)).code).toBe('FORBIDDEN');
  });
});

async function weakKey(tenant: Tenant): Promise<string> {
  const body = { name: 'weak', scopes: ['organisation_users.update', 'organisation_users.delete'] };
  const answer = await app.rest('POST', '/v1/api-keys/organisation/service', { key: tenant.adminKey, body });
  return (answer.body as { key: string }).key;
}

describe('ownership', () => {
  const owned = async () => {
    const tenant = await app.createTenant();
    const owner = await addUser(app, { tenant, role: 'owner' });
    const browser = openBrowser(app);
    const maker = { db: app.db, secrets, now: () => new Date(now) };
    const wanted = {
      organisationId: tenant.organisationId,
      userId: owner._id,
      createdBy: null,
      livesMs: 1000,
    };
    await browser.signIn({ link: (await makeSignInLink(maker, wanted)).secret });
    return { tenant, owner, browser };
  };

  it('is handed over by the owner alone, who stays an admin', async () => {
    const { tenant, owner, browser } = await owned();
    const admin = await addUser(app, { tenant, role: 'admin' });
    const asAdmin = await signedIn(app, admin._id, tenant.adminKey);
    expect(errorOf(await asAdmin.graphql(transfer, { id: admin._id })).code).toBe('FORBIDDEN');
    expect(dataOf(await browser.graphql(transfer, { id: owner._id })).transferOwnership.role).toBe('owner');
    expect(dataOf(await browser.graphql(transfer, { id: admin._id })).transferOwnership).toEqual({
      id: admin._id,
      role: 'owner',
    });
    expect((await ownersOf(tenant)).map(({ _id }) => _id)).toEqual([admin._id]);
    expect(errorOf(await browser.graphql(transfer, { id: owner._id })).code).toBe('FORBIDDEN');
    expect(dataOf(await browser.graphql('{ users { total } }')).users.total).toBe(2);
    const rows = await auditRows(app, {
      organisationId: tenant.organisationId,
      action: 'transfer_ownership',
    });
    expect(rows.map(({ outcome, targetId }) => [outcome, targetId])).toContainEqual(['success', admin._id]);
  });

  it('goes to nobody who is gone', async () => {
    const { tenant, browser } = await owned();
    expect(errorOf(await browser.graphql(transfer, { id: 'nobody' }))).toEqual({
      code: 'NOT_FOUND',
      param: 'userId',
    });
    expect(await ownersOf(tenant)).toHaveLength(1);
  });

  it('stays with the last owner, whatever comes at the same time', async () => {
    const { tenant, owner } = await owned();
    const update = 'mutation ($id: ID!) { updateUser(id: $id, input: { role: member }) { id } }';
    const remove = 'mutation ($id: ID!) { deleteUser(id: $id) }';
    for (const document of [update, remove]) {
      const refused = await app.graphql(document, { id: owner._id }, tenant.adminKey);
      expect(refused.errors?.[0]).toMatchObject({
        message: 'An organisation keeps an owner: hand the ownership over first.',
        extensions: { code: 'LAST_OWNER', http: { status: 409 } },
      });
    }
    const overRest = await app.rest('DELETE', `/v1/admin/users/${owner._id}`, { key: tenant.adminKey });
    expect([overRest.status, (overRest.body as any).error.code]).toEqual([409, 'AB07']);
    const second = await addUser(app, { tenant, role: 'owner' });
    const answers = await Promise.all(
      [owner._id, second._id].flatMap((id) => [
        app.graphql(remove, { id }, tenant.adminKey),
        app.graphql(update, { id }, tenant.adminKey),
      ]),
    );
    expect(answers.filter(({ errors }) => errors).length).toBeGreaterThan(0);
    expect(await ownersOf(tenant)).toHaveLength(1);
  });
});

describe('a sign-in link', () => {
  it('leads to the console, lives for a day, and is for a user who may do no more than its maker', async () => {
    const tenant = await app.createTenant();
    const [member, admin] = [
      await addUser(app, { tenant, inWorkspace: 'member' }),
      await addUser(app, { tenant, role: 'admin' }),
    ];
    const weak = await weakKey(tenant);
    for (const { _id: id } of [member, admin])
      expect(errorOf(await app.graphql(link, { id }, weak))).toEqual({ code: 'FORBIDDEN', param: 'userId' });
    expect(
      await app.db.collection('sign_in_links').countDocuments({ organisationId: tenant.organisationId }),
    ).toBe(0);
    const made = dataOf(await app.graphql(link, { id: member._id }, tenant.adminKey)).createSignInLink;
    expect(made.signInLink).toMatch(`${app.url}/console/#sl-`);
    expect(Date.parse(made.expiresAt)).toBe(now + 24 * 3_600_000);
  });

  it('is made for an owner by nobody else', async () => {
    const tenant = await app.createTenant();
    const owner = await addUser(app, { tenant, role: 'owner' });
    const refused = await app.graphql(link, { id: owner._id }, tenant.adminKey);
    expect(errorOf(refused)).toEqual({ code: 'FORBIDDEN', param: 'userId' });
    expect(errorOf(await app.graphql(link, { id: 'nobody' }, tenant.adminKey)).code).toBe('NOT_FOUND');
    expect(errorOf(await app.graphql(link, { id: owner._id }, neighbour.adminKey)).code).toBe('NOT_FOUND');
  });
});

describe('a role', () => {
  it('is given by nobody who may do less', async () => {
    const key = await makeKey(app, 'organisation-service', {
      only: [
        'organisation_users.update',
        'organisation_users.create',
        'workspace_users.create',
        'workspace_users.update',
      ],
    });
    const member = await addUser(app, { inWorkspace: 'member' });
    const before = await dumpResources(app);
    const calls: [string, object, string][] = [
      [
        'mutation ($id: ID!) { updateUser(id: $id, input: { role: admin }) { id } }',
        { id: member._id },
        'input.role',
      ],
      [
        'mutation { createInvite(input: { email: "new@example.com", role: admin, workspaces: [] }) { id } }',
        {},
        'input.role',
      ],
      [
        'mutation ($w: ID!) { createInvite(input: { email: "new@example.com", role: member, workspaces: [{ id: $w, role: admin }] }) { id } }',
        { w: app.workspaceId },
        'input.workspaces[0].role',
      ],
      [
        'mutation ($w: ID!, $id: ID!) { createMembers(workspaceId: $w, input: { users: [{ id: $id, role: admin }] }) { id } }',
        { w: app.workspaceId, id: subject },
        'input.users[0].role',
      ],
      [
        'mutation ($w: ID!, $id: ID!) { updateMember(workspaceId: $w, userId: $id, input: { role: manager }) { id } }',
        { w: app.workspaceId, id: member._id },
        'input.role',
      ],
    ];
    for (const [document, variables, param] of calls)
      expect(errorOf(await app.graphql(document, variables, key))).toEqual({ code: 'FORBIDDEN', param });
    expect(await dumpResources(app)).toBe(before);
  });
});
