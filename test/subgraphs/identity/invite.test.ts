import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { builtInRoles, mayHold } from '../../../src/auth/index.ts';
import { inviteModel } from '../../../src/subgraphs/identity/invite/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { describeAccess } from '../access.ts';
import { auditRows, dataOf, dump, dumpResources, errorOf, makeKey } from '../support.ts';
import { accountWith, createPolicy } from './accounts.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: Link;

type Link = { id: string; inviteLink: string };

/** What whoever takes a member into a workspace holds beside. */
const givesMember = (builtInRoles.get('workspace_member') ?? []).filter((scope) =>
  mayHold('organisation-service', scope),
);

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await create({ email: 'subject@example.com' });
});
afterAll(() => app.stop());

const createDocument = `mutation ($input: CreateInviteInput!) {
  createInvite(input: $input) { id inviteLink invite { status } }
}`;
const basic = { email: 'x@example.com', role: 'member', workspaces: [] };
const tryCreate = (input: object, key?: string) =>
  app.graphql(createDocument, { input: { ...basic, ...input } }, key);
const create = async (input: object, key?: string): Promise<Link> =>
  dataOf(await tryCreate(input, key)).createInvite;
const resend = (id: string) =>
  app.graphql('mutation ($id: ID!) { resendInvite(id: $id) { id inviteLink } }', { id });
const cancel = (id: string) => app.graphql('mutation ($id: ID!) { deleteInvite(id: $id) }', { id });
const statusOf = async (id: string): Promise<string> =>
  dataOf(await app.graphql('query ($id: ID!) { invite(id: $id) { status } }', { id })).invite.status;
const tokenOf = ({ inviteLink }: Link) => inviteLink.slice(inviteLink.lastIndexOf('/') + 1);

async function tryAccept(link: Link, names: object = { firstName: 'Grace', lastName: 'Hopper' }) {
  const query = `mutation ($input: AcceptInviteInput!) {
    acceptInvite(input: $input) { userId email organisationId apiKeys { id key workspaceId workspaceName } }
  }`;
  const body = { query, variables: { input: { token: tokenOf(link), ...names } } };
  const answer = await app.rest('POST', '/graphql', { key: null, body });
  return { status: answer.status, ...(answer.body as object) } as Awaited<ReturnType<TestApp['graphql']>>;
}
const accept = async (link: Link) => dataOf(await tryAccept(link)).acceptInvite;
const makeWorkspace = async (name: string): Promise<string> =>
  dataOf(
    await app.graphql('mutation ($name: String!) { createWorkspace(input: { name: $name }) { id } }', {
      name,
    }),
  ).createWorkspace.id;
const lapse = (id: string) =>
  inviteModel(app.db).updateOne({ _id: id }, { expiresAt: new Date('2020-01-01T00:00:00Z') });

describeAccess(() => ({ app, neighbour }), 'organisation-service', {
  invite: {
    document: 'query ($id: ID!) { invite(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_users.read'],
    addressed: true,
  },
  invites: { document: '{ invites { total } }', scopes: ['organisation_users.list'] },
  createInvite: {
    document: createDocument,
    variables: () => ({ input: basic }),
    scopes: ['organisation_users.create'],
    audit: 'invite.create',
  },
  resendInvite: {
    document: 'mutation ($id: ID!) { resendInvite(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_users.create'],
    audit: 'invite.resend',
    addressed: true,
  },
  deleteInvite: {
    document: 'mutation ($id: ID!) { deleteInvite(id: $id) }',
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_users.delete'],
    audit: 'invite.delete',
    addressed: true,
  },
});

describe('an invite', () => {
  it('is for one address at a time, in each organisation', async () => {
    const first = await create({ email: 'One@Example.com' });
    const taken = { code: 'ALREADY_EXISTS', param: 'email' };
    expect(errorOf(await tryCreate({ email: 'one@example.com' }))).toEqual(taken);
    await create({ email: 'one@example.com' }, neighbour.adminKey);
    dataOf(await cancel(first.id));
    const second = await create({ email: 'one@example.com' });
    await lapse(second.id);
    const third = await create({ email: 'one@example.com' });
    expect([await statusOf(first.id), await statusOf(second.id), await statusOf(third.id)]).toEqual([
      'cancelled',
      'expired',
      'pending',
    ]);
    expect(errorOf(await resend(second.id))).toEqual(taken);
  });

  it('is not for a user', async () => {
    await addUser(app, { email: 'user@example.com' });
    const refusal = { code: 'ALREADY_EXISTS', param: 'email' };
    expect(errorOf(await tryCreate({ email: 'User@example.com' }))).toEqual(refusal);
  });

  it.each([
    ['an address that is none', { email: 'x' }, 'VALIDATION_FAILED', 'input.email'],
    [
      'a workspace of a neighbour',
      () => ({ workspaces: [{ id: neighbour.workspaceId, role: 'member' }] }),
      'VALIDATION_FAILED',
      'input.workspaces[0].id',
    ],
    [
      'a workspace twice',
      () => ({ workspaces: [app.workspaceId, app.workspaceId].map((id) => ({ id, role: 'member' })) }),
      'VALIDATION_FAILED',
      'input.workspaces[1].id',
    ],
    [
      'a scope that user keys cannot hold',
      { workspaceApiKeyDetails: { scopes: ['logs.list', 'audit_logs.list'] } },
      'VALIDATION_FAILED',
      'input.workspaceApiKeyDetails.scopes[1]',
    ],
  ])('is refused with %s', async (_what, input, code, param) => {
    const before = await dumpResources(app);
    const given = typeof input === 'function' ? input() : input;
    expect(errorOf(await tryCreate(given))).toEqual({ code, param });
    expect(await dumpResources(app)).toBe(before);
  });

  it.each(['a.b/"><b>', 'evil.example'])('has a link to the gateway though Host is %s', async (host) => {
    const { statusCode, body } = await request(`${app.url}/v1/admin/users/invites`, {
      method: 'POST',
      headers: { host, 'x-gateway-api-key': app.adminKey, 'content-type': 'application/json' },
      body: JSON.stringify({ ...basic, email: `${randomUUID()}@example.com` }),
    });
    const { invite_link: link } = (await body.json()) as { invite_link: string };
    expect([statusCode, link.startsWith(`${app.url}/invites/`)]).toEqual([200, true]);
  });

  it('promises no scope that the inviter lacks', async () => {
    const key = await makeKey(app, 'organisation-service', {
      only: ['organisation_users.create', 'workspace_user_api_keys.create'],
    });
    const scopes = { workspaceApiKeyDetails: { scopes: ['configs.list'] } };
    expect(errorOf(await tryCreate(scopes, key))).toEqual({
      code: 'FORBIDDEN',
      param: 'input.workspaceApiKeyDetails.scopes[0]',
    });
  });

  it('promises keys only for whom may make them', async () => {
    const lacking = await makeKey(app, 'organisation-service', {
      only: ['organisation_users.create', ...givesMember],
    });
    const asked = {
      email: 'spender@example.com',
      role: 'member',
      workspaces: [{ id: app.workspaceId, role: 'member' }],
      workspace_api_key_details: { scopes: ['completions.write'] },
    };
    const invite = (key: string, body: object) => app.rest('POST', '/v1/admin/users/invites', { key, body });
    const before = await dumpResources(app);
    expect(await invite(lacking, asked)).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining('workspace_user_api_keys.create') } },
    });
    expect(await dumpResources(app)).toBe(before);
    const { workspace_api_key_details: _, ...withoutKeys } = asked;
    expect(await invite(lacking, withoutKeys)).toMatchObject({ status: 200 });
  });

  it('leads into no workspace but the one that the inviter works in', async () => {
    const admin = await app.token();
    const team = await makeWorkspace('Apart');
    const inviter = await accountWith(app, admin, ['organisation_users.create']);
    const resource = `prn:${app.tsgId}::::${app.workspaceId}`;
    await createPolicy(app, admin, { principal: inviter.displayName, resource, role: 'workspace_admin' });
    const invite = (email: string, workspaceId: string) =>
      app.rest('POST', '/v2/admin/users/invites', {
        key: inviter.token,
        headers: { 'x-gateway-workspace-id': app.workspaceId },
        body: {
          email,
          role: 'member',
          workspaces: [{ id: workspaceId, role: 'member' }],
          workspace_api_key_details: { scopes: ['completions.write'] },
        },
      });
    const promised = await create({
      email: 'promised@example.com',
      workspaces: [{ id: team, role: 'member' }],
    });
    const before = await dumpResources(app);
    expect(await invite('apart@example.com', team)).toMatchObject({
      status: 403,
      body: { error: { param: 'workspaces[0].id' } },
    });
    const again = await app.rest('POST', `/v2/admin/users/invites/${promised.id}/resend`, {
      key: inviter.token,
      headers: { 'x-gateway-workspace-id': app.workspaceId },
      body: {},
    });
    expect(again).toMatchObject({ status: 403 });
    expect(await dumpResources(app)).toBe(before);
    expect(await invite('inside@example.com', app.workspaceId)).toMatchObject({ status: 200 });
  });

  it('is not sent again by whom its link would give more than he holds', async () => {
    const { id } = await create({
      email: 'coveted@example.com',
      workspaces: [{ id: app.workspaceId, role: 'member' }],
      workspaceApiKeyDetails: { scopes: ['configs.list'] },
    });
    const resendAs = (key: string) =>
      app.rest('POST', `/v1/admin/users/invites/${id}/resend`, { key, body: {} });
    const giver = ['organisation_users.create', ...givesMember.filter((scope) => scope !== 'configs.list')];
    const maker = [...giver, 'workspace_user_api_keys.create'];
    for (const only of [maker, [...giver, 'configs.list']]) {
      const lacking = await makeKey(app, 'organisation-service', { only });
      const before = await dumpResources(app);
      expect(await resendAs(lacking)).toMatchObject({ status: 403 });
      expect(await dumpResources(app)).toBe(before);
    }
    const holding = await makeKey(app, 'organisation-service', { only: [...maker, 'configs.list'] });
    expect(await resendAs(holding)).toMatchObject({ status: 200 });
  });

  it('is listed by status', async () => {
    const tenant = await app.createTenant();
    const made = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      made.push(await create({ email: `${name}@example.com` }, tenant.adminKey));
    }
    const [a, b, c] = made as [Link, Link, Link];
    await inviteModel(app.db).updateOne({ _id: a.id }, { status: 'cancelled' });
    await lapse(b.id);
    await accept(c);
    const listed = async (args: string): Promise<string> => {
      const { invites } = dataOf(
        await app.graphql(`{ invites${args} { data { email } } }`, {}, tenant.adminKey),
      );
      return invites.data.map(({ email }: { email: string }) => email[0]).join('');
    };
    expect(await listed('')).toBe('dcba');
    expect(await listed('(sort: { field: email, direction: asc })')).toBe('abcd');
    for (const [status, expected] of Object.entries({
      cancelled: 'a',
      expired: 'b',
      accepted: 'c',
      pending: 'd',
    })) {
      expect(await listed(`(status: ${status})`)).toBe(expected);
    }
    expect(await listed('(email: "A@example.com")')).toBe('a');
  });
});

describe('accepting an invite', () => {
  it('makes the user, the memberships and a key for each workspace', async () => {
    const team: string = await makeWorkspace('Team');
    const link = await create({
      email: 'Grace@Example.com',
      role: 'admin',
      workspaces: [
        { id: app.workspaceId, role: 'manager' },
        { id: team, role: 'member' },
      ],
      workspaceApiKeyDetails: { scopes: ['logs.list'] },
    });
    const accepted = await accept(link);
    expect(accepted).toMatchObject({ email: 'grace@example.com', organisationId: app.organisationId });
    const { user } = dataOf(
      await app.graphql('query ($id: ID!) { user(id: $id) { firstName lastName email role workspaceIds } }', {
        id: accepted.userId,
      }),
    );
    expect(user).toEqual({
      firstName: 'Grace',
      lastName: 'Hopper',
      email: 'grace@example.com',
      role: 'admin',
      workspaceIds: [app.workspaceId, team].sort(),
    });
    const workspaceIds = accepted.apiKeys.map(({ workspaceId }: { workspaceId: string }) => workspaceId);
    expect(workspaceIds.sort()).toEqual([app.workspaceId, team].sort());
    for (const { key } of accepted.apiKeys) {
      expect((await app.rest('GET', '/v1/logs', { key })).status).toBe(200);
      expect((await app.rest('GET', '/v1/configs', { key })).status).toBe(403);
    }
    const { apiKeys } = dataOf(
      await app.graphql('query ($id: ID) { apiKeys(userId: $id) { data { type creationMode } } }', {
        id: accepted.userId,
      }),
    );
    expect(apiKeys.data).toEqual(Array(2).fill({ type: 'workspace-user', creationMode: 'auto' }));
    expect(await statusOf(link.id)).toBe('accepted');
    const [made, row] = await auditRows(app, { resourceType: 'invite', targetId: link.id });
    expect(row).toMatchObject({
      action: 'accept',
      beforeDigest: made?.afterDigest,
      afterDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      organisationId: app.organisationId,
      userId: accepted.userId,
      userName: accepted.email,
      userType: 'user',
      outcome: 'success',
    });
    expect(row?.afterDigest).not.toBe(row?.beforeDigest);
    const stored = await dump(app);
    for (const secret of [tokenOf(link), ...accepted.apiKeys.map(({ key }: { key: string }) => key)]) {
      expect(stored).not.toContain(secret);
    }
  });

  it('works once, also when several try at the same time', async () => {
    const link = await create({
      email: 'race@example.com',
      workspaces: [{ id: app.workspaceId, role: 'member' }],
      workspaceApiKeyDetails: { scopes: ['logs.list'] },
    });
    const tries = await Promise.all(Array.from({ length: 6 }, () => tryAccept(link)));
    const [won, ...others] = tries.filter(({ errors }) => !errors);
    expect(others).toEqual([]);
    const { userId, apiKeys } = won?.data.acceptInvite ?? {};
    expect(tries.filter(({ errors }) => errors?.[0]?.extensions.code === 'NOT_FOUND')).toHaveLength(5);
    const count = (name: string, filter: object) => app.db.collection(name).countDocuments(filter);
    expect(await count('users', { email: 'race@example.com' })).toBe(1);
    expect(await count('members', { userId })).toBe(1);
    expect(await count('api_keys', { userId })).toBe(1);
    expect((await app.rest('GET', '/v1/logs', { key: apiKeys[0].key })).status).toBe(200);
    expect(errorOf(await tryAccept(link)).code).toBe('NOT_FOUND');
    expect(await auditRows(app, { action: 'accept', targetId: link.id })).toHaveLength(1);
  });

  it('comes to its end after a try that broke off', async () => {
    const link = await create({
      email: 'crash@example.com',
      workspaces: [{ id: app.workspaceId, role: 'member' }],
      workspaceApiKeyDetails: { scopes: ['logs.list'] },
    });
    const before = await inviteModel(app.db).findById(link.id).lean();
    const { userId, apiKeys } = await accept(link);
    // As if the process had ended just before the link was spent.
    await inviteModel(app.db).updateOne({ _id: link.id }, { secretHash: before?.secretHash });
    expect(await statusOf(link.id)).toBe('accepted');
    expect(errorOf(await cancel(link.id)).code).toBe('VALIDATION_FAILED');
    expect(errorOf(await resend(link.id)).code).toBe('ALREADY_EXISTS');
    expect(await accept(link)).toMatchObject({ userId, apiKeys });
    expect(await app.db.collection('api_keys').countDocuments({ userId })).toBe(1);
  });

  it.each([
    ['was cancelled', async ({ id }: Link) => void dataOf(await cancel(id))],
    ['was sent again', async ({ id }: Link) => void dataOf(await resend(id))],
    ['has expired', async ({ id }: Link) => void (await lapse(id))],
  ])('is refused when the link %s', async (what, spoil) => {
    const link = await create({ email: `${what.replaceAll(' ', '-')}@example.com` });
    await spoil(link);
    const before = await dumpResources(app);
    expect(errorOf(await tryAccept(link)).code).toBe('NOT_FOUND');
    expect(await dumpResources(app)).toBe(before);
  });

  it('works with the link that was sent last, also of an invite that had expired', async () => {
    const { id } = await create({ email: 'patient@example.com' });
    await lapse(id);
    const { inviteLink } = dataOf(await resend(id)).resendInvite;
    expect(await statusOf(id)).toBe('pending');
    expect(await accept({ id, inviteLink })).toMatchObject({ email: 'patient@example.com', apiKeys: [] });
  });

  it('leaves out workspaces that are gone', async () => {
    const gone: string = await makeWorkspace('Gone');
    const link = await create({
      email: 'late@example.com',
      workspaces: [
        { id: gone, role: 'member' },
        { id: app.workspaceId, role: 'member' },
      ],
      workspaceApiKeyDetails: { scopes: ['logs.list'] },
    });
    dataOf(await app.graphql('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id: gone }));
    const { userId, apiKeys } = await accept(link);
    expect(apiKeys).toMatchObject([{ workspaceId: app.workspaceId }]);
    const members = await app.db.collection('members').find({ userId }).toArray();
    expect(members.map(({ workspaceId }) => workspaceId)).toEqual([app.workspaceId]);
  });

  it.each([
    ['no name', { firstName: '', lastName: 'x' }, 'input.firstName'],
    ['a name that is too long', { firstName: 'x', lastName: 'x'.repeat(256) }, 'input.lastName'],
  ])('is refused with %s', async (_what, names, param) => {
    const before = await dumpResources(app);
    expect(errorOf(await tryAccept(subject, names))).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(await dumpResources(app)).toBe(before);
  });

  it('is refused without the secret', async () => {
    const link = { id: '', inviteLink: '/sl-not-a-secret' };
    expect(errorOf(await tryAccept(link)).code).toBe('NOT_FOUND');
  });
});

describe('the page of an invite', () => {
  it('is the same for every link, and lets nothing in but its own script', async () => {
    const link = await create({ email: 'page@example.com' });
    const response = await fetch(link.inviteLink);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(await (await fetch(`${app.url}/invites/other`)).text()).toBe(html);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    for (const name of ['script', 'style']) {
      const text = new RegExp(`<${name}>(.*)</${name}>`, 's').exec(html)?.[1] ?? '';
      const hash = createHash('sha256').update(text).digest('base64');
      expect(policy).toContain(`${name}-src 'sha256-${hash}'`);
    }
    expect(html).not.toMatch(/\b(src|href)=/);
  });

  it('asks the graph for what it shows', async () => {
    const link = await create({ email: 'script@example.com' });
    const html = await (await fetch(link.inviteLink)).text();
    const query = /const query = '(.*)';/.exec(html)?.[1];
    const input = { token: tokenOf(link), firstName: 'Mary', lastName: 'Jackson' };
    const answer = await app.rest('POST', '/graphql', { key: null, body: { query, variables: { input } } });
    expect(answer.body).toEqual({ data: { acceptInvite: { email: 'script@example.com', apiKeys: [] } } });
  });

  it('is only read', async () => {
    expect((await fetch(`${app.url}/invites/x`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${app.url}/invites/x`, { method: 'POST' })).status).toBe(405);
  });
});
