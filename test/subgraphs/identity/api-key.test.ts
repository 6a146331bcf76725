import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuid } from '../../../src/lib/ids.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { describeAccess, type Setting } from '../access.ts';
import { auditRows, dataOf, dump, dumpResources, errorOf, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: string;
const setting = (): Setting => ({ app, neighbour });

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = (await create('WorkspaceService', { name: 'subject', scopes: ['logs.list'] })).id;
});
afterAll(() => app.stop());

const createDocument = (kind: string) =>
  `mutation ($input: Create${kind}ApiKeyInput!) {
    create${kind}ApiKey(input: $input) { id object key apiKey { id key type workspaceId scopes status defaults } }
  }`;

const tryCreate = (kind: string, input: Record<string, unknown>, key = app.adminKey) =>
  app.graphql(
    createDocument(kind),
    {
      input: {
        ...(kind !== 'OrganisationService' && key === app.adminKey && { workspaceId: app.workspaceId }),
        ...input,
      },
    },
    key,
  );

const create = async (kind: string, input: Record<string, unknown>, key?: string) =>
  dataOf(await tryCreate(kind, input, key))[`create${kind}ApiKey`];

const read = (id: string, key?: string) =>
  app.graphql('query ($id: ID!) { apiKey(id: $id) { id key name type status scopes } }', { id }, key);
const update = (id: string, input: object, key?: string) =>
  app.graphql(
    'mutation ($id: ID!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { id name scopes defaults expiresAt } }',
    { id, input },
    key,
  );
const remove = (id: string, key?: string) =>
  app.graphql('mutation ($id: ID!) { deleteApiKey(id: $id) }', { id }, key);

const verbs = (verb: string) =>
  ['organisation_service', 'workspace_service', 'workspace_user'].map((type) => `${type}_api_keys.${verb}`);

describeAccess(setting, 'organisation-service', {
  createOrganisationServiceApiKey: {
    document: createDocument('OrganisationService'),
    variables: () => ({ input: { name: 'x', scopes: ['logs.list'] } }),
    scopes: ['organisation_service_api_keys.create'],
    audit: 'api_key.create',
  },
  createWorkspaceServiceApiKey: {
    document: createDocument('WorkspaceService'),
    variables: () => ({ input: { name: 'x', scopes: ['logs.list'], workspaceId: app.workspaceId } }),
    scopes: ['workspace_service_api_keys.create'],
    audit: 'api_key.create',
  },
  createWorkspaceUserApiKey: {
    document: createDocument('WorkspaceUser'),
    variables: () => ({ input: { name: 'x', scopes: ['logs.list'], workspaceId: app.workspaceId } }),
    scopes: ['workspace_user_api_keys.create'],
    audit: 'api_key.create',
  },
  apiKey: {
    document: 'query ($id: ID!) { apiKey(id: $id) { id } }',
    variables: () => ({ id: subject }),
    scopes: verbs('read'),
    addressed: true,
  },
  apiKeys: { document: '{ apiKeys { total } }', scopes: verbs('list') },
  updateApiKey: {
    document: 'mutation ($id: ID!) { updateApiKey(id: $id, input: { name: "changed" }) { id } }',
    variables: () => ({ id: subject }),
    scopes: verbs('update'),
    audit: 'api_key.update',
    addressed: true,
  },
  rotateApiKey: {
    document: 'mutation ($id: ID!) { rotateApiKey(id: $id) { id } }',
    variables: () => ({ id: subject }),
    scopes: verbs('rotate'),
    audit: 'api_key.rotate',
    addressed: true,
  },
  deleteApiKey: {
    document: 'mutation ($id: ID!) { deleteApiKey(id: $id) }',
    variables: () => ({ id: subject }),
    scopes: verbs('delete'),
    audit: 'api_key.delete',
    addressed: true,
  },
});

describe('an API key', () => {
  it('shows its secret once and keeps only a hash of it', async () => {
    const { id, key, apiKey } = await create('WorkspaceUser', {
      name: 'once',
      scopes: ['completions.write'],
    });
    expect(key).toMatch(/^sl-[\w-]{43}$/);
    expect(apiKey).toMatchObject({
      id,
      type: 'workspace-user',
      workspaceId: app.workspaceId,
      status: 'active',
    });
    expect(dataOf(await read(id)).apiKey.key).toBe(`sl-***${key.slice(-4)}`);
    expect(await dump(app)).not.toContain(key);
  });

  it('works at once, is renamed, and stops at once', async () => {
    const { id, key } = await create('WorkspaceService', { name: 'short', scopes: ['configs.list'] });
    expect(dataOf(await app.graphql('{ configs { total } }', {}, key)).configs.total).toBe(0);
    expect(dataOf(await update(id, { name: 'renamed' })).updateApiKey.name).toBe('renamed');
    expect(dataOf(await update(id, { scopes: ['logs.list'] })).updateApiKey.scopes).toEqual(['logs.list']);
    expect(errorOf(await app.graphql('{ configs { total } }', {}, key)).code).toBe('FORBIDDEN');
    expect(dataOf(await remove(id)).deleteApiKey).toBe(id);
    expect(errorOf(await app.graphql('{ logs { total } }', {}, key)).code).toBe('UNAUTHENTICATED');
    expect(errorOf(await read(id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'api_key', targetId: id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'delete']);
  });

  it('may delete itself', async () => {
    const { id, key } = await create('WorkspaceService', {
      name: 'own end',
      scopes: ['workspace_service_api_keys.delete'],
    });
    expect(dataOf(await remove(id, key)).deleteApiKey).toBe(id);
  });

  it('is expired when its time is over', async () => {
    const expiresAt = new Date(Date.now() + 60_000);
    const { id } = await create('WorkspaceService', { name: 'brief', scopes: ['logs.list'], expiresAt });
    expect(dataOf(await read(id)).apiKey.status).toBe('active');
    await app.db.collection('api_keys').updateOne({ _id: id as never }, { $set: { expiresAt: new Date(1) } });
    expect(dataOf(await read(id)).apiKey.status).toBe('expired');
  });

  it('of the organisation is out of sight for a workspace credential', async () => {
    const { id } = await create('OrganisationService', { name: 'wide', scopes: ['workspaces.create'] });
    expect(errorOf(await read(id, app.workspaceKey)).code).toBe('NOT_FOUND');
    expect(
      errorOf(await tryCreate('OrganisationService', { name: 'x', scopes: ['logs.list'] }, app.workspaceKey))
        .code,
    ).toBe('FORBIDDEN');
  });

  it('can only be read with the scope of its type', async () => {
    const reader = await makeKey(app, 'workspace-service', { only: verbs('read').slice(2) });
    expect(errorOf(await read(subject, reader)).code).toBe('FORBIDDEN');
    const lister = await makeKey(app, 'workspace-service', { only: verbs('list').slice(2) });
    const { data } = dataOf(await app.graphql('{ apiKeys { data { type } } }', {}, lister)).apiKeys;
    expect(new Set(data.map(({ type }: { type: string }) => type))).toEqual(new Set(['workspace-user']));
  });
});

describe('whom a user key stands for', () => {
  const owned = (userId: string) => ({ name: 'of Ann', scopes: ['completions.write'], userId });

  it('is a member of the workspace', async () => {
    const { _id: userId } = await addUser(app, { inWorkspace: 'member' });
    const { id } = await create('WorkspaceUser', owned(userId));
    const shown = await app.graphql('query ($id: ID!) { apiKey(id: $id) { userId } }', { id });
    expect(dataOf(shown).apiKey.userId).toBe(userId);
  });

  it.each(['owner', 'admin'] as const)('may be the %s of the organisation', async (role) => {
    await create('WorkspaceUser', owned((await addUser(app, { role }))._id));
  });

  it.each([
    ['nobody', async () => ({ _id: uuid() })],
    ['a member of the organisation alone', () => addUser(app)],
    ['an owner of another organisation', () => addUser(app, { role: 'owner', tenant: neighbour })],
    [
      'a member of another workspace',
      () => addUser(app, { inWorkspace: 'admin', tenant: { ...app, workspaceId: uuid() } }),
    ],
  ])('is not %s', async (_who, userOf) => {
    const { _id: userId } = await userOf();
    const before = await dumpResources(app);
    expect(errorOf(await tryCreate('WorkspaceUser', owned(userId)))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.userId',
    });
    expect(await dumpResources(app)).toBe(before);
  });
});

describe('the scopes of a new key', () => {
  it.each([
    [
      'that do not exist',
      'WorkspaceService',
      ['logs.list', 'logs.eat'],
      'VALIDATION_FAILED',
      'input.scopes[1]',
    ],
    [
      'that its type cannot hold',
      'WorkspaceUser',
      ['workspaces.create'],
      'VALIDATION_FAILED',
      'input.scopes[0]',
    ],
    [
      'that only workspace keys hold, on an organisation key',
      'OrganisationService',
      ['completions.write'],
      'VALIDATION_FAILED',
      'input.scopes[0]',
    ],
    ['none at all', 'WorkspaceUser', [], 'VALIDATION_FAILED', 'input.scopes'],
  ])('may not be ones %s', async (_what, kind, scopes, code, param) => {
    const before = await dumpResources(app);
    expect(errorOf(await tryCreate(kind, { name: 'x', scopes }))).toEqual({ code, param });
    expect(await dumpResources(app)).toBe(before);
  });

  it('may be more than an organisation key holds, where it could not hold them', async () => {
    await create('WorkspaceService', { name: 'inference', scopes: ['completions.write'] });
  });

  it('may not be more than the creator holds', async () => {
    const own = verbs('create').slice(1).concat(verbs('update').slice(1), 'logs.list');
    const giver = await makeKey(app, 'workspace-service', { only: own });
    const refused = { code: 'FORBIDDEN', param: 'input.scopes[1]' };
    const scopes = ['logs.list', 'logs.view'];
    expect(errorOf(await tryCreate('WorkspaceUser', { name: 'x', scopes }, giver))).toEqual(refused);
    expect(errorOf(await update(subject, { scopes }, giver))).toEqual(refused);
    await create('WorkspaceUser', { name: 'x', scopes: ['logs.list'] }, giver);
  });
});

describe('a key that may do more than the caller', () => {
  const strength = ['configs.list', 'logs.read', 'completions.write'];

  it.each([
    ['workspace-service', 'configs.list, logs.read, completions.write'],
    // An organisation's key holds no inference scope: it is measured by what opens logs for it.
    ['organisation-service', 'configs.list, logs.read'],
  ] as const)('is not changed, rotated or deleted by a %s key', async (type, missing) => {
    const { id } = await create('WorkspaceService', { name: 'strong', scopes: strength });
    const changing = ['update', 'rotate', 'delete'].map((verb) => `workspace_service_api_keys.${verb}`);
    const weak = await makeKey(app, type, { only: changing });
    const before = await dumpResources(app);
    const path = `/v1/api-keys/${id}`;
    for (const answer of [
      await app.rest('PUT', path, { key: weak, body: { scopes: ['configs.list'] } }),
      await app.rest('PUT', path, { key: weak, body: { name: 'renamed' } }),
      await app.rest('POST', `${path}/rotate`, { key: weak, body: {} }),
      await app.rest('DELETE', path, { key: weak }),
    ]) {
      expect(answer).toMatchObject({
        status: 403,
        body: { error: { message: expect.stringContaining(`it lacks ${missing}.`) } },
      });
    }
    expect(errorOf(await update(id, { expiresAt: null }, weak)).code).toBe('FORBIDDEN');
    expect(errorOf(await remove(id, weak)).code).toBe('FORBIDDEN');
    expect(await dumpResources(app)).toBe(before);
    const holds = type === 'workspace-service' ? strength : ['configs.list', 'logs.view'];
    const equal = await makeKey(app, type, { only: [...changing, ...holds] });
    dataOf(await update(id, { scopes: ['configs.list'] }, equal));
    dataOf(await remove(id, equal));
  });

  it('is not made either: to open every log is given by whom it is open to', async () => {
    const only = ['workspace_service_api_keys.create'];
    const input = { name: 'reader', scopes: ['completions.write', 'logs.read'] };
    const blind = await makeKey(app, 'organisation-service', { only });
    const asked = { ...input, workspaceId: app.workspaceId };
    const before = await dumpResources(app);
    expect(errorOf(await tryCreate('WorkspaceService', asked, blind))).toEqual({
      code: 'FORBIDDEN',
      param: 'input.scopes[1]',
    });
    expect(await dumpResources(app)).toBe(before);
    const viewer = await makeKey(app, 'organisation-service', { only: [...only, 'logs.view'] });
    await create('WorkspaceService', asked, viewer);
  });
});

describe('the input of a new key', () => {
  const past = '2020-01-01T00:00:00Z';
  it.each([
    ['an empty name', { name: '' }, 'input.name'],
    ['a name that is too long', { name: 'n'.repeat(256) }, 'input.name'],
    ['a description that is too long', { description: 'd'.repeat(1001) }, 'input.description'],
    ['a moment in the past', { expiresAt: past }, 'input.expiresAt'],
    ['a user that is no UUID', { userId: 'me' }, 'input.userId'],
    ['defaults that are no object', { defaults: 'x' }, 'input.defaults'],
    ['defaults that nothing acts on', { defaults: { colour: 'red' } }, 'input.defaults.colour'],
    ['metadata that is no text', { defaults: { metadata: { a: 1 } } }, 'input.defaults.metadata.a'],
    [
      'metadata that is too long',
      { defaults: { metadata: { a: 'x'.repeat(129) } } },
      'input.defaults.metadata.a',
    ],
    [
      'an override switch that is no boolean',
      { defaults: { allow_config_override: 1 } },
      'input.defaults.allow_config_override',
    ],
    ['a config that does not exist', { defaults: { config_id: 'pc-none' } }, 'input.defaults.config_id'],
    ['a workspace that does not exist', { workspaceId: 'ws-none' }, 'workspace_id'],
  ])('may not have %s', async (_what, change, param) => {
    const before = await dumpResources(app);
    const input = { name: 'x', scopes: ['logs.list'], ...change };
    expect(errorOf(await tryCreate('WorkspaceUser', input))).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(await dumpResources(app)).toBe(before);
  });

  it('may name a config of the workspace by id or slug, not one of another tenant', async () => {
    const add = 'mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id slug } }';
    const input = { name: 'c', config: { retry: { attempts: 1 } } };
    const { createConfig: own } = dataOf(await app.graphql(add, { input }, app.workspaceKey));
    const { createConfig: foreign } = dataOf(await app.graphql(add, { input }, neighbour.workspaceKey));
    for (const config_id of [own.id, own.slug]) {
      const { apiKey } = await create('WorkspaceUser', {
        name: 'x',
        scopes: ['logs.list'],
        defaults: { config_id },
      });
      expect(apiKey.defaults).toEqual({ config_id });
    }
    const refused = await tryCreate('WorkspaceUser', {
      name: 'x',
      scopes: ['logs.list'],
      defaults: { config_id: foreign.id },
    });
    expect(errorOf(refused).param).toBe('input.defaults.config_id');
  });

  it('may not name another organisation or, with a workspace credential, another workspace', async () => {
    const base = { name: 'x', scopes: ['logs.list'] };
    expect(
      errorOf(await tryCreate('WorkspaceUser', { ...base, organisationId: neighbour.organisationId })).code,
    ).toBe('FORBIDDEN');
    expect(
      errorOf(
        await tryCreate('WorkspaceUser', { ...base, workspaceId: neighbour.workspaceId }, app.workspaceKey),
      ).code,
    ).toBe('FORBIDDEN');
  });
});
