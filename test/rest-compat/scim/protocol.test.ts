import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dumpResources } from '../../subgraphs/support.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { patchOf, type ScimClient, scimClient } from './client.ts';

let app: TestApp;
let client: ScimClient;
let ada: any;
let group: any;
beforeAll(async () => {
  app = await startApp();
  client = await scimClient(app);
  ada = await client.send('POST', '/Users', { userName: 'Ada@example.com', externalId: 'a-1' }, 201);
  for (const name of ['bob', 'carl'])
    await client.send('POST', '/Users', { userName: `${name}@example.com` }, 201);
  group = await client.send('POST', '/Groups', { displayName: 'Team', members: [{ value: ada.id }] }, 201);
});
afterAll(() => app.stop());

const filtered = (place: string, filter: string) => `/${place}?filter=${encodeURIComponent(filter)}`;
const namesFor = async (filter: string) =>
  (await client.get(filtered('Users', filter))).Resources.map(
    ({ userName }: any) => userName.split('@')[0],
  ).join(' ');

describe('discovery', () => {
  const get = async (path: string) => {
    const { status, body } = await app.rest('GET', `/scim/v2${path}`, { key: null });
    expect(status).toBe(200);
    return body as any;
  };

  it('says without a credential what there is', async () => {
    expect(await get('/ServiceProviderConfig')).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 500 },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
    const types = await get('/ResourceTypes');
    expect(types).toMatchObject({
      totalResults: 2,
      Resources: [{ endpoint: '/Users' }, { endpoint: '/Groups' }],
    });
    expect(await get('/ResourceTypes/Group')).toEqual(types.Resources[1]);
    const { Resources } = await get('/Schemas');
    for (const schema of Resources) expect(await get(`/Schemas/${schema.id}`)).toEqual(schema);
  });

  it('names every attribute that resources have, and no other', async () => {
    const { Resources } = await get('/Schemas');
    const namesOf = (schema: any) => schema.attributes.map(({ name }: any) => name);
    const common = ['schemas', 'id', 'meta'];
    const whole = await client.send(
      'POST',
      '/Users',
      { userName: 'd@example.com', externalId: 'd', displayName: 'D' },
      201,
    );
    expect(Object.keys(whole).sort()).toEqual([...common, ...namesOf(Resources[0])].sort());
    expect([...Object.keys(group), 'externalId'].sort()).toEqual(
      [...common, ...namesOf(Resources[1])].sort(),
    );
    await client.send('DELETE', `/Users/${whole.id}`, undefined, 204);
  });
});

describe('a filter', () => {
  it.each([
    ['userName eq "ADA@example.com"', 'Ada'],
    ['userName sw "b" or userName sw "C"', 'bob carl'],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "bob@example.com"', 'bob'],
    ['externalId eq "a-1" and active eq true', 'Ada'],
    ['externalId eq "A-1"', ''],
    ['externalId pr', 'Ada'],
    ['emails eq "bob@example.com"', 'bob'],
    ['emails[type eq "work" and value eq "bob@example.com"]', 'bob'],
    ['emails[type eq "home"].value eq "bob@example.com"', ''],
    ['meta.lastModified gt "2020-01-01T00:00:00Z" and (userName eq "x" or userName sw "c")', 'carl'],
    ['meta.created lt "2020-01-01T00:00:00Z"', ''],
    ['active eq false', ''],
    ['userName eq "ada@example.com\\" or userName pr or userName eq \\""', ''],
    ['userName eq "$ne"', ''],
  ])('%s finds %s', async (filter, names) => expect(await namesFor(filter)).toBe(names));

  it.each([
    'userName',
    'userName eq',
    'userName eq ada',
    'userName = "ada"',
    'userName eq "ada" or',
    '(userName eq "ada"',
    'userName eq "ada")',
    'not (userName eq "ada")',
    'userName co "a"',
    'password eq "x"',
    'role eq "owner"',
    'constructor eq "x"',
    'userName eq 5',
    'active eq "yes"',
    'meta.created gt "yesterday"',
    `userName eq "${'a'.repeat(1000)}"`,
    Array(21).fill('userName eq "a"').join(' or '),
    `userName eq "${'\n'.repeat(60)}`,
    `${'('.repeat(500)}userName eq "a"${')'.repeat(400)}`,
  ])('%s is refused', async (filter) => {
    expect(await client.send('GET', filtered('Users', filter), undefined, 400)).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '400',
      scimType: 'invalidFilter',
      detail: expect.stringContaining('ilter'),
    });
  });

  it('of groups finds names in any case, members and ids', async () => {
    for (const filter of [
      'displayName eq "tEAM"',
      `members eq "${ada.id}"`,
      `members[value eq "${ada.id}"]`,
      `id eq "${group.id}"`,
    ])
      expect((await client.get(filtered('Groups', filter))).totalResults).toBe(1);
    expect((await client.get(filtered('Groups', 'members eq "nobody"'))).totalResults).toBe(0);
  });
});

describe('a list', () => {
  it.each([
    ['startIndex=1&count=2', 1, 2],
    ['startIndex=3&count=2', 3, 1],
    ['startIndex=9', 9, 0],
    ['startIndex=-4&count=1', 1, 1],
    ['count=0', 1, 0],
    ['count=-1', 1, 0],
    ['count=100000', 1, 3],
    ['sortBy=userName&unknown=x', 1, 3],
  ])('asked for with %s begins at %d with %d items', async (query, startIndex, itemsPerPage) => {
    const list = await client.get(`/Users?${query}`);
    expect(list).toMatchObject({ totalResults: 3, startIndex, itemsPerPage });
    expect(list.Resources).toHaveLength(itemsPerPage);
  });

  it.each(['startIndex=x', 'count=1.5', 'startIndex=100001', 'count=1&count=2', 'filter=%ff'])(
    'asked for with %s is refused',
    async (query) => {
      expect(await client.send('GET', `/Users?${query}`, undefined, 400)).toMatchObject({
        scimType: 'invalidValue',
      });
    },
  );

  it('shows the attributes that are asked for', async () => {
    const get = (query: string) => client.get(`/Users/${ada.id}?${query}`);
    const { schemas, id } = ada;
    expect(await get('attributes=USERNAME')).toEqual({ schemas, id, userName: ada.userName });
    expect(await get('attributes=name.givenName,emails.value')).toEqual({
      schemas,
      id,
      name: { givenName: ada.name.givenName },
      emails: [{ value: 'ada@example.com' }],
    });
    const { emails: _emails, meta: _meta, name: _name, ...rest } = ada;
    expect(await get('excludedAttributes=emails,meta,name,id')).toEqual(rest);
  });
});

describe('a request that cannot be', () => {
  it.each([
    ['POST', '/Users', {}, 400, 'invalidValue'],
    ['POST', '/Users', { userName: 5 }, 400, 'invalidValue'],
    ['POST', '/Users', { userName: 'nobody' }, 400, 'invalidValue'],
    ['POST', '/Users', { userName: 'x@example.com', emails: [{ value: 'no address' }] }, 400, 'invalidValue'],
    ['POST', '/Users', { userName: 'x@example.com', emails: [5] }, 400, 'invalidSyntax'],
    ['POST', '/Users', { userName: 'x@example.com', active: 'maybe' }, 400, 'invalidValue'],
    ['POST', '/Users', { userName: `${'x'.repeat(300)}@example.com` }, 400, 'invalidValue'],
    ['POST', '/Users', { userName: 'x@example.com', userRole: 'owner' }, 400, 'invalidPath'],
    ['POST', '/Users', { userName: 'ADA@example.com' }, 409, 'uniqueness'],
    [
      'POST',
      '/Users',
      { userName: 'x@example.com', emails: [{ value: 'ada@example.com' }] },
      409,
      'uniqueness',
    ],
    ['POST', '/Users', [], 400, 'invalidSyntax'],
    ['PUT', '/Users/<user>', { name: { givenName: 'A' } }, 400, 'invalidValue'],
    ['PUT', '/Users/<user>', { userName: 'bob@example.com' }, 409, 'uniqueness'],
    ['PATCH', '/Users/<user>', {}, 400, 'invalidSyntax'],
    ['PATCH', '/Users/<user>', patchOf(), 400, 'invalidSyntax'],
    ['PATCH', '/Users/<user>', patchOf({ op: 'move', path: 'userName' }), 400, 'invalidSyntax'],
    ['PATCH', '/Users/<user>', patchOf({ op: 'replace', path: 'userName' }), 400, 'invalidValue'],
    ['PATCH', '/Users/<user>', patchOf({ op: 'replace', path: 'usrName', value: 'x' }), 400, 'invalidPath'],
    [
      'PATCH',
      '/Users/<user>',
      patchOf({ op: 'replace', path: '__proto__.x', value: 'x' }),
      400,
      'invalidPath',
    ],
    ['PATCH', '/Users/<user>', patchOf({ op: 'remove' }), 400, 'invalidPath'],
    ['PATCH', '/Users/<user>', patchOf({ op: 'remove', path: 'userName' }), 400, 'mutability'],
    ['PATCH', '/Users/<user>', patchOf({ op: 'replace', value: { id: 'x' } }), 400, 'mutability'],
    [
      'PATCH',
      '/Users/<user>',
      patchOf(...Array(1001).fill({ op: 'add', path: 'title', value: '' })),
      400,
      'tooMany',
    ],
    ['POST', '/Groups', {}, 400, 'invalidValue'],
    ['POST', '/Groups', { displayName: '' }, 400, 'invalidValue'],
    ['POST', '/Groups', { displayName: 'TEAM' }, 409, 'uniqueness'],
    ['POST', '/Groups', { displayName: 'New', members: [{ value: 'nobody' }] }, 400, 'invalidValue'],
    ['POST', '/Groups', { displayName: 'New', members: [{}] }, 400, 'invalidValue'],
    [
      'PATCH',
      '/Groups/<group>',
      patchOf({ op: 'add', path: 'members', value: [{ value: 'nobody' }] }),
      400,
      'invalidValue',
    ],
    [
      'PATCH',
      '/Groups/<group>',
      patchOf({ op: 'remove', path: 'members[display eq "x"]' }),
      400,
      'invalidPath',
    ],
    ['PATCH', '/Groups/<group>', patchOf({ op: 'add', path: 'owners', value: 'x' }), 400, 'invalidPath'],
    ['PATCH', '/Groups/<group>', patchOf({ op: 'remove', path: 'displayName' }), 400, 'mutability'],
    ['PATCH', '/Users/nobody', patchOf({ op: 'replace', path: 'active', value: false }), 404, undefined],
    ['DELETE', '/Groups/nobody', undefined, 404, undefined],
    ['PATCH', '/Users', {}, 405, undefined],
    ['POST', '/Bulk', {}, 404, undefined],
    ['GET', '/Users/a/b', undefined, 404, undefined],
    ['GET', '/Schemas/urn:nothing', undefined, 404, undefined],
    ['GET', '', undefined, 404, undefined],
  ])('%s %s %j is refused with %d %s, and nothing changes', async (method, path, body, status, scimType) => {
    const before = await dumpResources(app);
    const place = path.replace('<user>', ada.id).replace('<group>', group.id);
    const answer = await client.send(method, place, body, status);
    expect(answer).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType && { scimType }),
      detail: expect.any(String),
    });
    expect(answer.detail).not.toMatch(/input\.|memberIds|firstName/);
    expect(withoutLeases(await dumpResources(app))).toBe(withoutLeases(before));
  });

  it('is told as SCIM does when its body is no JSON, or no body', async () => {
    const headers = { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/scim+json' };
    const answer = await app.rest('POST', '/scim/v2/Users', { key: null, headers, body: '{"bad' });
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidSyntax' } });
    expect(await client.send('POST', '/Users', undefined, 400)).toMatchObject({ scimType: 'invalidSyntax' });
    const text = { ...headers, 'content-type': 'text/plain' };
    expect((await app.rest('POST', '/scim/v2/Users', { key: null, headers: text, body: '{}' })).status).toBe(
      415,
    );
  });

  it('says which methods there are', async () => {
    const options = await client.ask('OPTIONS', `/Users/${ada.id}`);
    expect([options.status, options.headers.get('allow')]).toEqual([
      204,
      'GET, PUT, PATCH, DELETE, HEAD, OPTIONS',
    ]);
    const head = await client.ask('HEAD', `/Users/${ada.id}`);
    expect([head.status, head.body]).toEqual([200, '']);
  });
});

const withoutLeases = (text: string) => text.replace(/"leases":\[[^\]]*\]/, '');

it('a name of one word, and none at all, will do', async () => {
  const named = await client.send(
    'POST',
    '/Users',
    { userName: 'm@example.com', displayName: 'Madonna' },
    201,
  );
  expect(named.name).toEqual({ formatted: 'Madonna', givenName: 'Madonna', familyName: '' });
  const unnamed = await client.send('POST', '/Users', { userName: 'n@example.com' }, 201);
  expect(unnamed.name).toEqual({ formatted: '', givenName: '', familyName: '' });
});
