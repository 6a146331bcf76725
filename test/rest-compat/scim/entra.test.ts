import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditRows, dump, ownTime } from '../../subgraphs/support.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { mapGroup, patchOf, placeOf, type ScimClient, scimClient, statusOf, userKey } from './client.ts';

// Bodies as Microsoft's documentation of SCIM in Entra ID has them, with other values.

let app: TestApp;
let entra: ScimClient;
beforeAll(async () => {
  app = await startApp();
  entra = await scimClient(app);
});
afterAll(() => app.stop());

const byGroup = (groupRole: string) => ({ role: groupRole, ownRole: null, groupRole });

const newUser = {
  schemas: [
    'urn:ietf:params:scim:schemas:core:2.0:User',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  ],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  userName: 'Ada.Lovelace@contoso.onmicrosoft.com',
  active: true,
  displayName: 'Ada Lovelace',
  title: 'Countess',
  emails: [{ primary: true, type: 'work', value: 'Ada.Lovelace@contoso.com' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
  roles: [],
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Analysis' },
};
const newGroup = {
  schemas: [
    'urn:ietf:params:scim:schemas:core:2.0:Group',
    'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
  ],
  externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
  displayName: 'Analysts',
  meta: { resourceType: 'Group' },
};

const find = (place: string, attribute: string, value: string, more = '') =>
  entra.get(`/${place}?${more}filter=${encodeURIComponent(`${attribute} eq "${value}"`)}`);

describe('Entra ID', () => {
  it('tests the connection with a user that nobody has', async () => {
    expect(await find('Users', 'userName', '5b50642d-79fc-4410-9e90-4c077cdd1a59')).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
  });

  it.each([
    ['without the flag aadOptscim062020', false],
    ['with the flag aadOptscim062020', true],
  ])('walks a user and a group through their lives, %s', async (_name, compliant) => {
    // A user.
    const user = await entra.send('POST', '/Users', newUser, 201);
    expect(user).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id: expect.any(String),
      externalId: newUser.externalId,
      userName: newUser.userName,
      name: newUser.name,
      displayName: 'Ada Lovelace',
      emails: [{ value: 'ada.lovelace@contoso.com', type: 'work', primary: true }],
      active: true,
      meta: {
        resourceType: 'User',
        created: expect.stringMatching(/Z$/),
        lastModified: expect.stringMatching(/Z$/),
        location: `${app.url}/scim/v2/Users/${user.id}`,
      },
    });
    expect(await entra.send('POST', '/Users', newUser, 409)).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    });
    expect(await find('Users', 'userName', newUser.userName.toUpperCase())).toMatchObject({
      Resources: [user],
    });
    expect(await find('Users', 'externalId', newUser.externalId)).toMatchObject({ Resources: [user] });
    expect(await find('Users', 'emails[type eq "work"].value', 'ada.lovelace@contoso.com')).toMatchObject({
      Resources: [user],
    });

    // A group, which Entra ID asks for without members.
    const group = await entra.send('POST', '/Groups', newGroup, 201);
    expect(group).toMatchObject({ displayName: 'Analysts', externalId: newGroup.externalId, members: [] });
    const { members: _members, ...withoutMembers } = group;
    expect(await entra.get(`/Groups/${group.id}?excludedAttributes=members`)).toEqual(withoutMembers);
    const named = await find('Groups', 'displayName', 'Analysts', 'excludedAttributes=members&');
    expect(named).toMatchObject({ totalResults: 1, Resources: [withoutMembers] });

    // Membership, and what the mapping makes of it.
    await mapGroup(app, group.id, 'manager');
    expect(await placeOf(app, user.id)).toBeNull();
    const add = patchOf({ op: 'Add', path: 'members', value: [{ $ref: null, value: user.id }] });
    expect(await entra.send('PATCH', `/Groups/${group.id}`, add, 204)).toBe('');
    expect(await placeOf(app, user.id)).toEqual(byGroup('manager'));
    const ask = `id eq "${group.id}" and members eq "${user.id}"`;
    expect(await entra.get(`/Groups?attributes=id&filter=${encodeURIComponent(ask)}`)).toMatchObject({
      totalResults: 1,
      Resources: [{ schemas: group.schemas, id: group.id }],
    });

    // Changes.
    const change = compliant
      ? patchOf(
          { op: 'replace', path: 'emails[type eq "work"].value', value: 'ada@contoso.com' },
          {
            op: 'replace',
            value: {
              displayName: 'Countess Lovelace',
              'name.givenName': 'Augusta Ada',
              'name.familyName': 'King',
              'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber': '7',
            },
          },
        )
      : patchOf(
          { op: 'Replace', path: 'displayName', value: 'Countess Lovelace' },
          { op: 'Add', path: 'emails[type eq "work"].value', value: 'ada@contoso.com' },
          { op: 'Replace', path: 'name.givenName', value: 'Augusta Ada' },
          { op: 'Replace', path: 'name.familyName', value: 'King' },
          { op: 'Add', path: 'nickName', value: 'Ada' },
          { op: 'Add', path: 'addresses[type eq "work"].country', value: 'UK' },
          {
            op: 'Replace',
            path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber',
            value: '7',
          },
        );
    expect(await entra.send('PATCH', `/Users/${user.id}`, change, 200)).toMatchObject({
      userName: newUser.userName,
      displayName: 'Countess Lovelace',
      name: { formatted: 'Augusta Ada King', givenName: 'Augusta Ada', familyName: 'King' },
      emails: [{ value: 'ada@contoso.com', type: 'work', primary: true }],
    });
    const rename = patchOf({ op: 'Replace', path: 'displayName', value: 'Analysts and friends' });
    await entra.send('PATCH', `/Groups/${group.id}`, rename, 204);
    expect((await entra.get(`/Groups/${group.id}`)).displayName).toBe('Analysts and friends');

    // Out of the group, and into it again.
    const leave = compliant
      ? patchOf({ op: 'remove', path: `members[value eq "${user.id}"]` })
      : patchOf({ op: 'Remove', path: 'members', value: [{ $ref: null, value: user.id }] });
    const key = await userKey(app, user.id);
    await entra.send('PATCH', `/Groups/${group.id}`, leave, 204);
    expect(await placeOf(app, user.id)).toBeNull();
    expect(await statusOf(app, key)).toBe(401);
    await entra.send('PATCH', `/Groups/${group.id}`, add, 204);

    // Disabled, enabled again, deleted.
    const second = await userKey(app, user.id);
    expect(await statusOf(app, second)).toBe(200);
    const active = (value: boolean) => {
      const text = value ? 'True' : 'False';
      return patchOf({
        op: compliant ? 'replace' : 'Replace',
        path: 'active',
        value: compliant ? value : text,
      });
    };
    expect(await entra.send('PATCH', `/Users/${user.id}`, active(false), 200)).toMatchObject({
      active: false,
    });
    expect(await statusOf(app, second)).toBe(401);
    expect(await placeOf(app, user.id)).toBeNull();
    expect(await entra.send('PATCH', `/Users/${user.id}`, active(true), 200)).toMatchObject({ active: true });
    expect(await placeOf(app, user.id)).toEqual(byGroup('manager'));
    expect(await entra.send('DELETE', `/Users/${user.id}`, undefined, 204)).toBe('');
    expect(await entra.send('GET', `/Users/${user.id}`, undefined, 404)).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '404',
    });
    expect((await entra.get(`/Groups/${group.id}`)).members).toEqual([]);
    await entra.send('DELETE', `/Groups/${group.id}`, undefined, 204);
    await entra.send('DELETE', `/Groups/${group.id}`, undefined, 404);
    const rows = await auditRows(app, { targetId: { $in: [user.id, group.id] }, outcome: 'success' });
    expect(rows.map(({ resourceType, action }) => `${resourceType}.${action}`)).toEqual([
      ...['user.create', 'scim_group.create', 'scim_group.update', 'user.update', 'scim_group.update'],
      ...[
        'scim_group.update',
        'scim_group.update',
        'user.update',
        'user.update',
        'user.delete',
        'scim_group.delete',
      ],
    ]);
  });

  it('may repeat every change', async () => {
    const body = { ...newUser, userName: 'grace@contoso.com', externalId: 'g', emails: undefined };
    const user = await entra.send('POST', '/Users', body, 201);
    const group = await entra.send('POST', '/Groups', { ...newGroup, displayName: 'Admirals' }, 201);
    await mapGroup(app, group.id, 'member');
    const changes: [string, object][] = [
      [`/Groups/${group.id}`, patchOf({ op: 'Add', path: 'members', value: [{ value: user.id }] })],
      [`/Users/${user.id}`, patchOf({ op: 'Replace', path: 'active', value: 'False' })],
      [`/Users/${user.id}`, patchOf({ op: 'Replace', path: 'active', value: 'True' })],
      [`/Groups/${group.id}`, patchOf({ op: 'Remove', path: 'members', value: [{ value: user.id }] })],
    ];
    const trails = ['audit_logs', 'audit_heads', 'events', 'revisions', ...ownTime];
    for (const [path, change] of changes) {
      expect((await entra.ask('PATCH', path, change)).status).toBeLessThan(300);
      const once = withoutTimes(await dump(app, trails));
      expect((await entra.ask('PATCH', path, change)).status).toBeLessThan(300);
      expect(withoutTimes(await dump(app, trails))).toBe(once);
    }
    expect(await placeOf(app, user.id)).toBeNull();
  });
});

const withoutTimes = (text: string) => text.replaceAll(/"lastUpdatedAt":"[^"]+"/g, '');
