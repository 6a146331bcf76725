import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { mapGroup, patchOf, placeOf, type ScimClient, scimClient, statusOf, userKey } from './client.ts';

// Bodies as Okta's reference of SCIM 2.0 has them, with other values.

let app: TestApp;
let okta: ScimClient;
beforeAll(async () => {
  app = await startApp();
  okta = await scimClient(app);
});
afterAll(() => app.stop());

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const byGroup = (groupRole: string) => ({ role: groupRole, ownRole: null, groupRole });

const newUser = (userName: string) => ({
  schemas: [userSchema],
  userName,
  name: { givenName: 'Grace', familyName: 'Hopper' },
  emails: [{ primary: true, value: userName, type: 'work' }],
  displayName: 'Grace Hopper',
  locale: 'en-US',
  externalId: `00u-${userName}`,
  groups: [],
  password: '1mz050nq',
  active: true,
});

describe('Okta', () => {
  it('imports what is there, whoever made it', async () => {
    const invited = await addUser(app, { email: 'invited@example.com' });
    const { totalResults, Resources } = await okta.get('/Users?startIndex=1&count=100');
    expect(totalResults).toBe(1);
    expect(Resources).toEqual([
      expect.objectContaining({ id: invited._id, userName: 'invited@example.com', active: true }),
    ]);
    expect(await okta.get('/Groups?startIndex=1&count=100')).toMatchObject({
      totalResults: 0,
      Resources: [],
    });
    const filter = encodeURIComponent('userName eq "invited@example.com"');
    expect(await okta.get(`/Users?filter=${filter}&startIndex=1&count=100`)).toMatchObject({
      totalResults: 1,
    });
  });

  it('walks a user and a group through their lives', async () => {
    const address = 'grace.hopper@example.com';
    const user = await okta.send('POST', '/Users', newUser(address), 201);
    expect(user).toMatchObject({ userName: address, active: true, externalId: `00u-${address}` });
    expect(JSON.stringify(user)).not.toContain('1mz050nq');
    expect(await okta.get(`/Users/${user.id}`)).toEqual(user);

    const group = await okta.send(
      'POST',
      '/Groups',
      { schemas: [groupSchema], displayName: 'Compilers', members: [] },
      201,
    );
    await mapGroup(app, group.id, 'admin');
    const members = (...ids: string[]) => ids.map((value) => ({ value, display: address }));
    const add = patchOf({ op: 'add', path: 'members', value: members(user.id) });
    await okta.send('PATCH', `/Groups/${group.id}`, add, 204);
    expect(await placeOf(app, user.id)).toEqual(byGroup('admin'));

    const rename = patchOf({ op: 'replace', value: { id: group.id, displayName: 'Compiler makers' } });
    await okta.send('PATCH', `/Groups/${group.id}`, rename, 204);
    expect(await okta.get(`/Groups/${group.id}`)).toMatchObject({
      displayName: 'Compiler makers',
      members: [{ value: user.id, type: 'User', $ref: `${app.url}/scim/v2/Users/${user.id}` }],
    });

    // A profile is put whole, as it was read.
    const profile = { ...user, name: { ...user.name, familyName: 'Murray' }, groups: [] };
    expect(await okta.send('PUT', `/Users/${user.id}`, profile, 200)).toMatchObject({
      id: user.id,
      externalId: user.externalId,
      name: { givenName: 'Grace', familyName: 'Murray' },
    });

    const other = await okta.send('POST', '/Users', newUser('jean.bartik@example.com'), 201);
    const exchange = patchOf(
      { op: 'remove', path: `members[value eq "${user.id}"]` },
      { op: 'add', path: 'members', value: members(other.id) },
    );
    await okta.send('PATCH', `/Groups/${group.id}`, exchange, 204);
    expect(await placeOf(app, user.id)).toBeNull();
    expect(await placeOf(app, other.id)).toEqual(byGroup('admin'));
    const push = patchOf({ op: 'replace', path: 'members', value: members(user.id) });
    await okta.send('PATCH', `/Groups/${group.id}`, push, 204);
    expect(await placeOf(app, user.id)).toEqual(byGroup('admin'));
    expect(await placeOf(app, other.id)).toBeNull();
    const whole = {
      schemas: [groupSchema],
      id: group.id,
      displayName: 'Compilers',
      members: members(user.id, other.id),
    };
    expect((await okta.send('PUT', `/Groups/${group.id}`, whole, 200)).members).toHaveLength(2);
    expect(await placeOf(app, other.id)).toEqual(byGroup('admin'));

    // Unassigned users are deactivated, assigned ones activated, by PATCH or by PUT.
    const key = await userKey(app, user.id);
    expect(await statusOf(app, key)).toBe(200);
    const active = (value: boolean) => patchOf({ op: 'replace', value: { active: value } });
    expect(await okta.send('PATCH', `/Users/${user.id}`, active(false), 200)).toMatchObject({
      active: false,
    });
    expect([await placeOf(app, user.id), await statusOf(app, key)]).toEqual([null, 401]);
    await okta.send('PATCH', `/Users/${user.id}`, active(true), 200);
    expect(await placeOf(app, user.id)).toEqual(byGroup('admin'));
    expect(await okta.send('PUT', `/Users/${user.id}`, { ...profile, active: false }, 200)).toMatchObject({
      active: false,
    });
    expect(await placeOf(app, user.id)).toBeNull();
    const inactive = await okta.get(`/Users?filter=${encodeURIComponent('active eq false')}`);
    expect(inactive).toMatchObject({ totalResults: 1, Resources: [{ id: user.id }] });

    await okta.send('DELETE', `/Groups/${group.id}`, undefined, 204);
    expect(await placeOf(app, other.id)).toBeNull();
    await okta.send('DELETE', `/Users/${user.id}`, undefined, 204);
    await okta.send('GET', `/Users/${user.id}`, undefined, 404);
  });
});
