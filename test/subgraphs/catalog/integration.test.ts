import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess, type Setting } from '../access.ts';
import { auditRows, dataOf, dump, dumpResources, errorOf, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: { id: string; slug: string };
const setting = (): Setting => ({ app, neighbour });

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await create({ name: 'Subject', createDefaultProvider: false });
});
afterAll(() => app.stop());

const fields = `id slug workspaceId aiProviderId status maskedKey configurations allowAllModels modelCount
  models { slug enabled isCustom baseModelSlug configurations pricingConfig }
  globalWorkspaceAccessSettings { enabled } workspaceCount tags`;
const createDocument = `mutation ($input: CreateIntegrationInput!) { createIntegration(input: $input) { ${fields} } }`;
const tryCreate = (input: object, key?: string) =>
  app.graphql(createDocument, { input: { name: 'x', aiProviderId: 'openai', ...input } }, key);
const create = async (input: object, key?: string) => dataOf(await tryCreate(input, key)).createIntegration;
const read = (id: string, key?: string) =>
  app.graphql(`query ($id: ID!) { integration(id: $id) { ${fields} } }`, { id }, key);
const change = (name: string, type: string) => async (id: string, input: object, key?: string) =>
  app.graphql(
    `mutation ($id: ID!, $input: ${type}!) { ${name}(id: $id, input: $input) { ${fields} } }`,
    { id, input },
    key,
  );
const update = change('updateIntegration', 'UpdateIntegrationInput');
const share = change('updateIntegrationWorkspaces', 'UpdateIntegrationWorkspacesInput');
const remove = (id: string) => app.graphql('mutation ($id: ID!) { deleteIntegration(id: $id) }', { id });
const providers = async (workspaceId = app.workspaceId) =>
  dataOf(
    await app.graphql(
      'query ($workspaceId: ID) { providers(workspaceId: $workspaceId) { data { slug integrationId } } }',
      { workspaceId },
    ),
  ).providers.data;
const both = (verb: string) => [`organisation_integrations.${verb}`, `workspace_integrations.${verb}`];
const onSubject = (name: string, rest: string, scopes: string[]) => ({
  document: `mutation ($id: ID!) { ${name}(id: $id${rest} }`,
  variables: () => ({ id: subject.id }),
  scopes,
  audit: `integration.${name === 'deleteIntegration' ? 'delete' : 'update'}`,
  addressed: true,
});

describeAccess(setting, 'organisation-service', {
  createIntegration: {
    document: createDocument,
    variables: () => ({ input: { name: 'x', aiProviderId: 'openai' } }),
    scopes: both('create'),
    audit: 'integration.create',
  },
  integration: {
    document: 'query ($id: ID!) { integration(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: both('read'),
    addressed: true,
  },
  integrations: { document: '{ integrations { total } }', scopes: both('list') },
  updateIntegration: onSubject('updateIntegration', ', input: { name: "changed" }) { id }', both('update')),
  deleteIntegration: onSubject('deleteIntegration', ')', both('delete')),
  updateIntegrationModels: onSubject(
    'updateIntegrationModels',
    ', input: { models: [] }) { id }',
    both('update'),
  ),
  deleteIntegrationModels: onSubject('deleteIntegrationModels', ', slugs: ["m"]) { id }', both('update')),
  updateIntegrationWorkspaces: onSubject(
    'updateIntegrationWorkspaces',
    ', input: { workspaces: [] }) { id }',
    both('update').slice(0, 1),
  ),
});

describe('an integration', () => {
  const key = 'sk-very-secret-credential-0001';

  it('keeps its credentials to itself', async () => {
    const header = 'header-secret-0002';
    const made = await create({
      name: 'Sealed',
      key,
      configurations: { custom_host: 'https://models.example.com/v1', custom_headers: { 'X-Team': header } },
    });
    const shown = {
      maskedKey: 'sk-***0001',
      configurations: {
        custom_host: 'https://models.example.com/v1',
        custom_headers: { 'X-Team': 'hea***0002' },
      },
    };
    expect(made).toMatchObject(shown);
    expect(dataOf(await read(made.slug)).integration).toMatchObject(shown);
    const stored = await dump(app);
    expect(stored).not.toContain(key);
    expect(stored).not.toContain(header);

    // What was read may be sent back without losing the credentials.
    const sealed = () => app.db.collection('integrations').findOne({ _id: made.id });
    const before = await sealed();
    await update(made.id, { name: 'Again', key: shown.maskedKey, configurations: shown.configurations });
    expect(dataOf(await read(made.id)).integration).toMatchObject(shown);
    expect((await sealed())?.sealedKey).toBe(before?.sealedKey);
    expect(dataOf(await update(made.id, { key: null, configurations: {} })).updateIntegration).toMatchObject({
      maskedKey: null,
      configurations: {},
    });
  });

  it('takes the settings of its provider kind, seals the secret ones and shows their masks', async () => {
    const configurations = {
      aws_region: 'eu-west-1',
      aws_access_key_id: 'AKIDEXAMPLEAKIDEX001',
      aws_secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAM0003',
    };
    const shown = {
      aws_region: 'eu-west-1',
      aws_access_key_id: 'AKI***X001',
      aws_secret_access_key: 'wJa***0003',
    };
    const made = await create({ name: 'Cloud', aiProviderId: 'bedrock', configurations });
    expect(made.configurations).toEqual(shown);
    const stored = await dump(app);
    expect(stored).not.toContain(configurations.aws_secret_access_key);

    const secret = { aws_secret_access_key: 'another+secret+of+the+account+0004' };
    await update(made.id, { configurations: { ...shown, ...secret, aws_region: 'eu-west-3' } });
    expect(dataOf(await read(made.id)).integration.configurations).toEqual({
      ...shown,
      aws_region: 'eu-west-3',
      aws_secret_access_key: 'ano***0004',
    });
    // What a mask stands for does not go to a host of somebody's choice.
    const elsewhere = { ...shown, aws_secret_access_key: 'ano***0004', custom_host: 'https://a.example' };
    expect(errorOf(await update(made.id, { configurations: elsewhere }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'input.configurations.custom_host',
    });
    await update(made.id, { configurations: {} });
    expect(dataOf(await read(made.id)).integration.configurations).toEqual({});
  });

  it('comes with a provider of its slug in the default workspace', async () => {
    const { id, slug, workspaceId, workspaceCount } = await create({ name: 'With Provider', key });
    expect(slug).toMatch(/^with-provider-[0-9a-f]{6}$/);
    expect({ workspaceId, workspaceCount }).toEqual({ workspaceId: null, workspaceCount: 1 });
    expect(await providers()).toContainEqual({ slug, integrationId: id });
    expect(errorOf(await remove(id)).code).toBe('IN_USE');
    await app.graphql('mutation ($id: ID!, $w: ID) { deleteProvider(id: $id, workspaceId: $w) }', {
      id: slug,
      w: app.workspaceId,
    });
    expect(dataOf(await remove(slug)).deleteIntegration).toBe(id);
    expect(errorOf(await read(id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'integration', targetId: id });
    expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'create success',
      'delete failed',
      'delete success',
    ]);
  });

  it('of a workspace belongs to that workspace', async () => {
    const made = await create(
      { name: 'Local', slug: 'local', defaultProviderSlug: 'local-p' },
      app.workspaceKey,
    );
    expect(made).toMatchObject({ workspaceId: app.workspaceId, workspaceCount: 1 });
    expect(await providers()).toContainEqual({ slug: 'local-p', integrationId: made.id });
    expect(dataOf(await read('local', app.workspaceKey)).integration.id).toBe(made.id);
    expect(errorOf(await share(made.id, { workspaces: [] })).param).toBe('id');
    const list = async (type: string, key: string) =>
      dataOf(
        await app.graphql(
          'query ($type: IntegrationLevel!) { integrations(type: $type) { data { slug } } }',
          { type },
          key,
        ),
      ).integrations.data.map(({ slug }: { slug: string }) => slug);
    expect(await list('workspace', app.adminKey)).toEqual(['local']);
    expect(await list('organisation', app.adminKey)).not.toContain('local');
    expect(await list('all', app.workspaceKey)).toEqual(expect.arrayContaining(['local', subject.slug]));
    expect(await list('all', neighbour.adminKey)).toEqual(['mock']);
  });

  it('of the organisation needs the organisation scope', async () => {
    const local = await makeKey(app, 'organisation-service', { without: ['organisation_integrations.read'] });
    expect(errorOf(await read(subject.id, local)).code).toBe('FORBIDDEN');
    expect(errorOf(await read(subject.id, app.workspaceKey)).code).toBe('FORBIDDEN');
  });

  it.each([
    ['an empty name', { name: '' }, 'VALIDATION_FAILED', 'input.name'],
    ['a slug with spaces', { slug: 'a b' }, 'VALIDATION_FAILED', 'input.slug'],
    ['an unknown provider kind', { aiProviderId: 'nobody' }, 'VALIDATION_FAILED', 'input.aiProviderId'],
    ['a slug that is taken', { slug: 'mock' }, 'ALREADY_EXISTS', null],
    [
      'a provider slug that is taken',
      { defaultProviderSlug: 'mock' },
      'ALREADY_EXISTS',
      'input.defaultProviderSlug',
    ],
    [
      'configurations that are no object',
      { configurations: [] },
      'VALIDATION_FAILED',
      'input.configurations',
    ],
    [
      'a setting nothing acts on',
      { configurations: { aws_region: 'eu' } },
      'VALIDATION_FAILED',
      'input.configurations.aws_region',
    ],
    [
      'a setting of another form',
      { aiProviderId: 'bedrock', configurations: { aws_region: 'attacker.example/' } },
      'VALIDATION_FAILED',
      'input.configurations.aws_region',
    ],
    [
      'a setting that is no text',
      { configurations: { openai_project: 1 } },
      'VALIDATION_FAILED',
      'input.configurations.openai_project',
    ],
    [
      'a relative host',
      { configurations: { custom_host: '/v1' } },
      'VALIDATION_FAILED',
      'input.configurations.custom_host',
    ],
    [
      'a host that is too long',
      { configurations: { custom_host: `https://a.example/${'x'.repeat(2048)}` } },
      'VALIDATION_FAILED',
      'input.configurations.custom_host',
    ],
    [
      'a metadata address',
      { configurations: { custom_host: 'http://169.254.169.254/' } },
      'VALIDATION_FAILED',
      'input.configurations.custom_host',
    ],
    [
      'a reserved header',
      { configurations: { custom_headers: { Host: 'x' } } },
      'VALIDATION_FAILED',
      'input.configurations.custom_headers.Host',
    ],
    [
      'a header of two lines',
      { configurations: { custom_headers: { 'x-a': 'a\r\nb: c' } } },
      'VALIDATION_FAILED',
      'input.configurations.custom_headers.x-a',
    ],
    ['tags that are no texts', { tags: { team: 1 } }, 'VALIDATION_FAILED', 'input.tags.team'],
    ['a workspace that does not exist', { workspaceId: 'none' }, 'VALIDATION_FAILED', 'workspace_id'],
  ])('is refused with %s', async (_what, input, code, param) => {
    const before = await dumpResources(app);
    const refused = errorOf(await tryCreate({ name: 'x', aiProviderId: 'openai', ...input }));
    expect(refused.code).toBe(code);
    if (param) expect(refused.param).toBe(param);
    expect(await dumpResources(app)).toBe(before);
  });

  it('is found by its tags', async () => {
    const { slug } = await create({ tags: { team: 'search', stage: 'test' }, createDefaultProvider: false });
    const find = async (tags: object) =>
      dataOf(
        await app.graphql('query ($tags: JSON) { integrations(tags: $tags) { data { slug } } }', { tags }),
      ).integrations.data;
    expect(await find({ team: 'search' })).toEqual([{ slug }]);
    expect(await find({ team: 'ads' })).toEqual([]);
  });
});
