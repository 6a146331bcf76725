import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess, type Setting } from '../access.ts';
import { auditRows, dataOf, dump, dumpResources, errorOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: { id: string; slug: string };
const setting = (): Setting => ({ app, neighbour });

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await create({ name: 'Subject' });
});
afterAll(() => app.stop());

const retry = { retry: { attempts: 1 } };
const fields = 'id slug name config versionId isDefault status workspaceId ownerId updatedBy';
const createDocument = `mutation ($input: CreateConfigInput!) { createConfig(input: $input) { ${fields} } }`;
const tryCreate = (input: object, key = app.workspaceKey) =>
  app.graphql(createDocument, { input: { name: 'x', config: retry, ...input } }, key);
const create = async (input: object, key?: string) => dataOf(await tryCreate(input, key)).createConfig;
const read = (id: string, key = app.workspaceKey) =>
  app.graphql(
    `query ($id: ID!) { config(id: $id) { ${fields} versions { id number name config createdBy } } }`,
    { id },
    key,
  );
const update = (id: string, input: object) =>
  app.graphql(
    `mutation ($id: ID!, $input: UpdateConfigInput!) { updateConfig(id: $id, input: $input) { ${fields} } }`,
    { id, input },
    app.workspaceKey,
  );
const remove = (id: string) =>
  app.graphql('mutation ($id: ID!) { deleteConfig(id: $id) }', { id }, app.workspaceKey);
const refusal = async (answer: ReturnType<typeof tryCreate>) => {
  const { errors } = await answer;
  const { code, errors: lines } = errors?.[0]?.extensions ?? {};
  return { code, lines };
};

describeAccess(setting, 'workspace-service', {
  createConfig: {
    document: createDocument,
    variables: () => ({ input: { name: 'x', config: retry } }),
    scopes: ['configs.create'],
    audit: 'config.create',
  },
  config: {
    document: 'query ($id: ID!) { config(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['configs.read'],
    addressed: true,
  },
  configs: { document: '{ configs { total } }', scopes: ['configs.list'] },
  configVersions: {
    document: 'query ($id: ID!) { configVersions(configId: $id) { total } }',
    variables: () => ({ id: subject.slug }),
    scopes: ['configs.read'],
    addressed: true,
  },
  updateConfig: {
    document: 'mutation ($id: ID!) { updateConfig(id: $id, input: { name: "changed" }) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['configs.update'],
    audit: 'config.update',
    addressed: true,
  },
  deleteConfig: {
    document: 'mutation ($id: ID!) { deleteConfig(id: $id) }',
    variables: () => ({ id: subject.id }),
    scopes: ['configs.delete'],
    audit: 'config.delete',
    addressed: true,
  },
});

describe('a config', () => {
  it('is made, changed with a version each time, and deleted with its versions', async () => {
    const made = await create({ name: 'My Config' });
    expect(made).toMatchObject({
      config: retry,
      isDefault: 0,
      status: 'active',
      workspaceId: app.workspaceId,
    });
    expect(made.slug).toMatch(/^pc-my-config-[0-9a-f]{6}$/);
    const twice = { retry: { attempts: 2 } };
    const changed = dataOf(await update(made.slug, { config: twice, name: 'Second' })).updateConfig;
    expect(changed).toMatchObject({ id: made.id, config: twice, name: 'Second' });
    expect(changed.versionId).not.toBe(made.versionId);
    const { versions } = dataOf(await read(made.id)).config;
    expect(versions).toMatchObject([
      { id: changed.versionId, number: 2, name: 'Second', config: twice, createdBy: made.ownerId },
      { id: made.versionId, number: 1, name: 'My Config', config: retry },
    ]);
    // The same config again, a name and a status make no version.
    const archived = dataOf(await update(made.id, { config: twice, status: 'archived' })).updateConfig;
    expect(archived).toMatchObject({ status: 'archived', versionId: changed.versionId });

    expect(dataOf(await remove(made.slug)).deleteConfig).toBe(made.id);
    expect(errorOf(await read(made.id)).code).toBe('NOT_FOUND');
    expect(await app.db.collection('config_versions').countDocuments({ configId: made.id })).toBe(0);
    const rows = await auditRows(app, { resourceType: 'config', targetId: made.id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'delete']);
  });

  it('is listed in its workspace and organisation only', async () => {
    const total = async (key: string, workspaceId?: string) =>
      app.graphql(
        'query ($workspaceId: ID) { configs(workspaceId: $workspaceId) { total } }',
        { workspaceId },
        key,
      );
    const mine = dataOf(await total(app.workspaceKey)).configs.total;
    expect(mine).toBeGreaterThan(0);
    expect(dataOf(await total(app.adminKey)).configs.total).toBe(mine);
    expect(dataOf(await total(app.adminKey, app.workspaceId)).configs.total).toBe(mine);
    expect(dataOf(await total(neighbour.adminKey)).configs.total).toBe(0);
    expect(errorOf(await total(app.adminKey, neighbour.workspaceId)).param).toBe('workspace_id');
    expect(errorOf(await tryCreate({}, app.adminKey)).param).toBe('workspace_id');
  });

  it('keeps its credentials to itself, through updates and versions', async () => {
    const [first, second] = ['sk-first-secret-aaaa1111', 'sk-second-secret-bbbb2222'];
    const target = (api_key: string, name: string) => ({ provider: 'openai', api_key, name });
    const fallback = (...targets: object[]) => ({ strategy: { mode: 'fallback' }, targets });
    const { id, config } = await create({ config: fallback(target(first, 'a'), target(second, 'b')) });
    const [maskA, maskB] = ['sk-***1111', 'sk-***2222'];
    expect(config).toEqual(fallback(target(maskA, 'a'), target(maskB, 'b')));

    // Masks come back, in another order, together with a new key.
    const third = 'sk-third-secret-cccc3333';
    const reordered = fallback(target(maskB, 'b'), target(third, 'c'), target(maskA, 'a'));
    expect((await update(id, { config: reordered })).errors).toBeUndefined();
    const shown = dataOf(await read(id)).config;
    expect(shown.config).toEqual(fallback(target(maskB, 'b'), target('sk-***3333', 'c'), target(maskA, 'a')));
    const stored = await dump(app);
    for (const secret of [first, second, third]) {
      expect(stored).not.toContain(secret);
      expect(JSON.stringify(shown)).not.toContain(secret);
    }
    const stranger = 'sk-***9999';
    expect(await refusal(update(id, { config: fallback(target(stranger, 'a')) }))).toEqual({
      code: 'INVALID_CONFIG',
      lines: ['path: config.targets[0].api_key, message: the masked value stands for no stored credential'],
    });
  });

  it('is the default of its workspace alone', async () => {
    await Promise.all([1, 2, 3].map(() => tryCreate({ isDefault: 1 })));
    const { id } = await create({ isDefault: 1 });
    const defaults = await app.db.collection('configs').find({ isDefault: 1 }).toArray();
    expect(defaults.map(({ _id }) => _id)).toEqual([id]);
  });

  it('loses no update when two are made at once', async () => {
    const { id, versionId } = await create({});
    const attempts = [2, 3];
    const answers = await Promise.all(
      attempts.map((count) => update(id, { config: { retry: { attempts: count } } })),
    );
    const made = answers.map((answer) => dataOf(answer).updateConfig.versionId);
    const { config } = dataOf(await read(id));
    expect(config.versions.map((version: { id: string }) => version.id).sort()).toEqual(
      [...made, versionId].sort(),
    );
    expect(made).toContain(config.versionId);
  });

  it('stays while an API key has it as its default', async () => {
    const { id, slug } = await create({});
    const { body } = await app.rest('POST', '/v1/api-keys/workspace/user', {
      body: { name: 'x', scopes: ['logs.list'], defaults: { config_id: slug } },
    });
    const before = await dumpResources(app);
    expect(errorOf(await remove(id)).code).toBe('IN_USE');
    expect(await dumpResources(app)).toBe(before);
    await app.rest('DELETE', `/v1/api-keys/${(body as { id: string }).id}`);
    expect(dataOf(await remove(id)).deleteConfig).toBe(id);
  });

  it.each([
    ['that is no object', 'text', 'path: config, '],
    ['with an unknown key', { colour: 'red' }, 'path: config.colour, '],
    ['that names a provider which is not there', { provider: '@nobody' }, 'path: config.provider, '],
    [
      'whose target names a provider which is not there',
      { strategy: { mode: 'fallback' }, targets: [{ provider: '@mock' }, { virtual_key: 'nobody' }] },
      'path: config.targets[1].virtual_key, ',
    ],
    [
      'that forces a model of a provider which is not there',
      { override_params: { model: '@nobody/gpt' } },
      'path: config.override_params.model, ',
    ],
    ['with a mask', { provider: 'openai', api_key: 'sk-***1111' }, 'path: config.api_key, '],
  ])('is refused with a config %s', async (_what, config, line) => {
    const before = await dumpResources(app);
    const { code, lines } = await refusal(tryCreate({ config }));
    expect(code).toBe('INVALID_CONFIG');
    expect(lines).toEqual([expect.stringContaining(line)]);
    expect(await dumpResources(app)).toBe(before);
  });

  it.each([
    ['an empty name', { name: '' }, 'input.name'],
    ['a name that is too long', { name: 'n'.repeat(256) }, 'input.name'],
    ['a default that is neither 0 nor 1', { isDefault: 2 }, 'input.isDefault'],
  ])('is refused with %s', async (_what, input, param) => {
    expect(errorOf(await tryCreate(input))).toEqual({ code: 'VALIDATION_FAILED', param });
  });
});
