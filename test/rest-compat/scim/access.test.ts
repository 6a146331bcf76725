import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scopesFor } from '../../../src/auth/index.ts';
import { auditRows, dumpResources, makeKey } from '../../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { until } from '../../support/world.ts';
import { patchOf, provisioningScopes, type ScimClient, scimClient, statusOf, userKey } from './client.ts';

let app: TestApp;
let neighbour: Tenant;
let own: ScimClient;
let others: ScimClient;
let userId: string;
let groupId: string;
beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  own = await scimClient(app);
  others = await scimClient(app, neighbour.adminKey);
  userId = (await addUser(app, { email: 'ada@example.com' }))._id;
  const group = { displayName: 'Analysts', members: [{ value: userId }] };
  groupId = (await own.send('POST', '/Groups', group, 201)).id;
});
afterAll(() => app.stop());

const error = (status: string, scimType?: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status,
  ...(scimType && { scimType }),
  detail: expect.any(String),
});

type Row = [method: string, path: string, verb: string, body?: object];
const rows: Row[] = [
  ['GET', '/Users', 'list'],
  ['POST', '/Users', 'create', { userName: 'new@example.com' }],
  ['GET', '/Users/<user>', 'read'],
  ['PUT', '/Users/<user>', 'update', { userName: 'new@example.com' }],
  ['PATCH', '/Users/<user>', 'update', patchOf({ op: 'replace', path: 'active', value: false })],
  ['DELETE', '/Users/<user>', 'delete'],
  ['GET', '/Groups', 'list'],
  ['POST', '/Groups', 'create', { displayName: 'New' }],
  ['GET', '/Groups/<group>', 'read'],
  ['PUT', '/Groups/<group>', 'update', { displayName: 'New' }],
  ['PATCH', '/Groups/<group>', 'update', patchOf({ op: 'replace', path: 'members', value: [] })],
  ['DELETE', '/Groups/<group>', 'delete'],
];
const placeIn = (path: string) => path.replace('<user>', userId).replace('<group>', groupId);
const scopeOf = (verb: string) => `organisation_users.${verb}`;

describe.each(rows)('%s %s', (method, path, verb, body) => {
  const ask = (key: string | null) =>
    app.rest(method, `/scim/v2${placeIn(path)}`, {
      key: null,
      body,
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
    });

  it('is closed to all but its own, and nothing changes', async () => {
    const weak = await makeKey(app, 'organisation-service', { without: [scopeOf(verb)] });
    const before = await dumpResources(app);
    const answer = await ask(null);
    expect(answer).toMatchObject({ status: 401, body: error('401') });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    for (const key of [`${weak}x`, 'nonsense', 'eyJ.eyJ.x']) expect((await ask(key)).status).toBe(401);
    for (const key of [weak, app.workspaceKey]) {
      const refused = await ask(key);
      expect(refused).toMatchObject({ status: 403, body: error('403') });
      expect(refused.headers.get('content-type')).toBe('application/scim+json');
    }
    const stranger = await others.ask(method, placeIn(path), body);
    if (path.includes('<')) expect(stranger).toMatchObject({ status: 404, body: error('404') });
    else if (method === 'GET') expect(stranger.body).toMatchObject({ totalResults: 0, Resources: [] });
    else expect(stranger.status).toBe(201);
    expect(withoutOrganisation(await dumpResources(app), neighbour)).toBe(
      withoutOrganisation(before, neighbour),
    );
  });

  it('opens with its scope alone', async () => {
    const key = await makeKey(app, 'organisation-service', { only: [scopeOf(verb)] });
    const user = await addUser(app);
    const group = await own.send('POST', '/Groups', { displayName: `Of ${user._id}` }, 201);
    const place = path.replace('<user>', user._id).replace('<group>', group.id);
    const headers = { authorization: `Bearer ${key}` };
    const unique = body && 'Operations' in body ? body : { ...body, ...nameOf(path, user._id) };
    const answer = await app.rest(method, `/scim/v2${place}`, { key: null, body: body && unique, headers });
    expect({ status: answer.status < 300, body: answer.body }).toMatchObject({ status: true });
  });
});

const nameOf = (path: string, id: string) =>
  path.startsWith('/Users') ? { userName: `${id}@new.example` } : { displayName: `New ${id}` };

/** Documents of everybody else, as text: what a neighbour makes is its own. */
const withoutOrganisation = (text: string, { organisationId }: Tenant): string =>
  JSON.stringify(
    Object.entries(JSON.parse(text) as Record<string, { organisationId?: string }[]>).map(
      ([name, documents]) => [
        name,
        documents.filter((document) => document.organisationId !== organisationId && name !== 'leases'),
      ],
    ),
  );

it('an access token opens it too', async () => {
  const headers = { authorization: `Bearer ${await app.token()}` };
  const { status, body } = await app.rest('GET', '/scim/v2/Users?count=1', { key: null, headers });
  expect({ status, body }).toMatchObject({ status: 200, body: { itemsPerPage: 1 } });
});

it('what SCIM needs, keys of an organisation may hold, and no others', () => {
  expect(scopesFor('organisation-service')).toEqual(expect.arrayContaining(provisioningScopes));
  expect(scopesFor('workspace-service').filter((scope) => provisioningScopes.includes(scope))).toEqual([]);
});

it('a neighbour cannot take what it knows of into its own group', async () => {
  const group = await others.send('POST', '/Groups', { displayName: 'Spies' }, 201);
  const add = patchOf({ op: 'add', path: 'members', value: [{ value: userId }] });
  expect(await others.send('PATCH', `/Groups/${group.id}`, add, 400)).toEqual({
    ...error('400', 'invalidValue'),
    detail: 'members[0] names no user of this organisation.',
  });
  const found = await others.get(`/Groups?filter=${encodeURIComponent(`members eq "${userId}"`)}`);
  expect(found.totalResults).toBe(0);
});

describe('the last of the administrators', () => {
  const deactivate = patchOf({ op: 'Replace', path: 'active', value: 'False' });
  it.each(['owner', 'admin'] as const)('who is an %s is not deactivated', async (role) => {
    const tenant = await app.createTenant();
    const client = await scimClient(app, tenant.adminKey);
    const first = await addUser(app, { tenant, role });
    const before = await dumpResources(app);
    expect(await client.send('PATCH', `/Users/${first._id}`, deactivate, 409)).toEqual({
      ...error('409'),
      detail: `The last active ${role} of an organisation cannot be deactivated.`,
    });
    expect(withoutLeases(await dumpResources(app))).toBe(withoutLeases(before));
    const second = await addUser(app, { tenant, role });
    // Of both at once, one stays.
    const ends = await Promise.all(
      [first, second].map(({ _id }) => client.ask('PATCH', `/Users/${_id}`, deactivate)),
    );
    expect(ends.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('who is the owner is not deleted either, and an inactive one does not count', async () => {
    const tenant = await app.createTenant();
    const client = await scimClient(app, tenant.adminKey);
    const [first, second] = [
      await addUser(app, { tenant, role: 'owner' }),
      await addUser(app, { tenant, role: 'owner' }),
    ];
    await client.send('PATCH', `/Users/${second._id}`, deactivate, 200);
    expect(await client.send('DELETE', `/Users/${first._id}`, undefined, 409)).toEqual({
      ...error('409'),
      detail: expect.stringContaining('keeps an owner'),
    });
  });
});

const withoutLeases = (text: string) => text.replace(/"leases":\[[^\]]*\]/, '');

describe('a deactivated user', () => {
  it('gets no key, not even by an invite from before', async () => {
    const email = 'late@example.com';
    const invite = await app.rest('POST', '/v1/admin/users/invites', {
      key: app.adminKey,
      body: {
        email,
        role: 'member',
        workspaces: [{ id: app.workspaceId, role: 'member' }],
        workspace_api_key_details: { scopes: ['logs.list'] },
      },
    });
    const token = (invite.body as { invite_link: string }).invite_link.split('/').at(-1);
    const user = await own.send('POST', '/Users', { userName: email, active: 'False' }, 201);
    expect(user.active).toBe(false);
    const accept = `mutation ($token: String!) {
      acceptInvite(input: { token: $token, firstName: "L", lastName: "L" }) { userId } }`;
    expect((await app.graphql(accept, { token })).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    const key = await app.rest('POST', '/v1/api-keys/workspace/user', {
      key: app.adminKey,
      body: { name: 'x', workspace_id: app.workspaceId, user_id: user.id, scopes: ['logs.list'] },
    });
    expect(key).toMatchObject({ status: 400, body: { error: { param: 'user_id' } } });
    const { docs } = { docs: await app.db.collection('api_keys').countDocuments({ userId: user.id }) };
    expect(docs).toBe(0);
  });
});

it('a key that was made while its user was deactivated opens nothing', async () => {
  const user = await addUser(app, { inWorkspace: 'member' });
  const key = await userKey(app, user._id);
  expect(await statusOf(app, key)).toBe(200);
  // As if the deactivation had looked for keys before this one was stored.
  await app.db
    .collection<{ _id: string }>('users')
    .updateOne({ _id: user._id }, { $set: { status: 'inactive' } });
  await makeKey(app, 'organisation-service', { only: ['audit_logs.list'] });
  await until(async () => (await statusOf(app, key)) === 401);
});

it('a refused change is in the audit trail', async () => {
  const weak = await makeKey(app, 'organisation-service', { only: [scopeOf('read')] });
  const headers = { authorization: `Bearer ${weak}` };
  const answer = await app.rest('DELETE', `/scim/v2/Users/${userId}`, { key: null, headers });
  const entries = await auditRows(app, { resourceType: 'user', targetId: userId, outcome: 'refused' });
  expect(entries.at(-1)).toMatchObject({
    action: 'delete',
    requestId: answer.headers.get('x-request-id'),
    uri: `/scim/v2/Users/${userId}`,
    responseStatusCode: 403,
  });
});
