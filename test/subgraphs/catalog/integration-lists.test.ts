import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { integrationModel } from '../../../src/subgraphs/catalog/integration/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { dataOf, dumpResources, errorOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: { id: string; slug: string };

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await create('Subject');
});
afterAll(() => app.stop());

const create = async (name: string) =>
  dataOf(
    await app.graphql(
      'mutation ($input: CreateIntegrationInput!) { createIntegration(input: $input) { id slug } }',
      { input: { name, aiProviderId: 'openai', createDefaultProvider: false } },
    ),
  ).createIntegration;
const read = (id: string, key?: string) =>
  app.graphql(
    `query ($id: ID!) {
      integration(id: $id) {
        allowAllModels modelCount
        models { slug enabled isCustom baseModelSlug configurations pricingConfig }
      }
    }`,
    { id },
    key,
  );
const change = (name: string, type: string) => (id: string, input: object) =>
  app.graphql(`mutation ($id: ID!, $input: ${type}!) { ${name}(id: $id, input: $input) { id } }`, {
    id,
    input,
  });
const updateModels = change('updateIntegrationModels', 'UpdateIntegrationModelsInput');
const share = change('updateIntegrationWorkspaces', 'UpdateIntegrationWorkspacesInput');
const providers = async (workspaceId = app.workspaceId) =>
  dataOf(
    await app.graphql(
      'query ($workspaceId: ID) { providers(workspaceId: $workspaceId) { data { slug integrationId } } }',
      { workspaceId },
    ),
  ).providers.data;
const makeWorkspace = async (name: string) =>
  dataOf(
    await app.graphql('mutation ($name: String!) { createWorkspace(input: { name: $name }) { id slug } }', {
      name,
    }),
  ).createWorkspace;

describe('the models of an integration', () => {
  const pricingConfig = { type: 'static', pay_as_you_go: { request_token: { price: 0.001 } } };

  it('are added, replaced and, when custom, removed', async () => {
    const models = [
      { slug: 'gpt-4o', enabled: true },
      { slug: 'own', enabled: true, isCustom: true, baseModelSlug: 'gpt-4o', pricingConfig },
    ];
    await updateModels(subject.id, { models, allowAllModels: false });
    await updateModels(subject.id, { models: [{ slug: 'gpt-4o', enabled: false }] });
    expect(dataOf(await read(subject.id)).integration).toMatchObject({
      allowAllModels: false,
      modelCount: 2,
      models: [
        { slug: 'gpt-4o', enabled: false, isCustom: false },
        { slug: 'own', isCustom: true, baseModelSlug: 'gpt-4o', pricingConfig },
      ],
    });
    const removeModels = (slugs: string[]) =>
      app.graphql(
        'mutation ($id: ID!, $slugs: [String!]!) { deleteIntegrationModels(id: $id, slugs: $slugs) { modelCount } }',
        { id: subject.id, slugs },
      );
    expect(errorOf(await removeModels(['gpt-4o']))).toEqual({ code: 'VALIDATION_FAILED', param: 'slugs' });
    expect(errorOf(await removeModels(['own', 'other'])).code).toBe('VALIDATION_FAILED');
    expect(dataOf(await removeModels(['own'])).deleteIntegrationModels).toEqual({ modelCount: 1 });
  });

  it('are shown as many as asked for, the first ones first', async () => {
    const { id } = await create('Long');
    const models = Array.from({ length: 120 }, (_, index) => ({ slug: `model-${index}`, enabled: true }));
    dataOf(await updateModels(id, { models }));
    const shown = async (args: string) =>
      app.graphql(`query ($id: ID!) { integration(id: $id) { modelCount models${args} { slug } } }`, { id });
    const { integration } = dataOf(await shown('(limit: 2)'));
    expect(integration).toEqual({ modelCount: 120, models: [{ slug: 'model-0' }, { slug: 'model-1' }] });
    expect(dataOf(await shown('')).integration.models).toHaveLength(100);
    expect(errorOf(await shown('(limit: 2001)'))).toEqual({ code: 'VALIDATION_FAILED', param: 'limit' });
    const rest = await app.rest('GET', `/v1/integrations/${id}/models`, { key: app.adminKey });
    expect(rest.body).toMatchObject({ total: 120, models: { length: 120 } });
  });

  it('keep the values of their headers to themselves', async () => {
    const value = 'model-header-secret-0042';
    const put = (headers: object) =>
      updateModels(subject.id, {
        models: [{ slug: 'tuned', enabled: true, configurations: { custom_headers: headers } }],
      });
    const stored = async () =>
      (await app.db.collection('integrations').findOne({ _id: subject.id as never }))?.models.find(
        ({ slug }: { slug: string }) => slug === 'tuned',
      );
    const shown = { 'X-Tuned': 'mod***0042' };
    dataOf(await put({ 'X-Tuned': value }));
    expect(dataOf(await read(subject.id)).integration.models).toContainEqual(
      expect.objectContaining({ slug: 'tuned', configurations: { custom_headers: shown } }),
    );
    expect(await dumpResources(app)).not.toContain(value);
    // What was read may be sent back without losing the value.
    const { sealedHeaders: before } = await stored();
    dataOf(await put(shown));
    expect(dataOf(await read(subject.id)).integration.models).toContainEqual(
      expect.objectContaining({ slug: 'tuned', configurations: { custom_headers: shown } }),
    );
    expect([typeof before, before.includes(value)]).toEqual(['string', false]);
    const moved = await app.graphql(
      'mutation ($id: ID!, $input: UpdateIntegrationInput!) { updateIntegration(id: $id, input: $input) { id } }',
      { id: subject.id, input: { configurations: { custom_host: 'https://elsewhere.example.com/v1' } } },
    );
    expect(errorOf(moved)).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.configurations.custom_host',
    });
    dataOf(await put({}));
    expect((await stored()).sealedHeaders).toBeNull();
  });

  it('lose nothing when two administrators add at once', async () => {
    const slugs = Array.from({ length: 4 }, (_, index) => `racing-${index}`);
    await Promise.all(slugs.map((slug) => updateModels(subject.id, { models: [{ slug, enabled: true }] })));
    const { models } = dataOf(await read(subject.id)).integration;
    expect(models.map(({ slug }: { slug: string }) => slug)).toEqual(expect.arrayContaining(slugs));
  });

  it.each([
    [
      'named twice',
      [
        { slug: 'a', enabled: true },
        { slug: 'a', enabled: true },
      ],
      'input.models[1].slug',
    ],
    ['without a name', [{ slug: '', enabled: true }], 'input.models[0].slug'],
    [
      'with a setting nothing acts on',
      [{ slug: 'a', enabled: true, configurations: { aws_region: 'x' } }],
      'input.models[0].configurations.aws_region',
    ],
    [
      'with a header that is the connection’s',
      [{ slug: 'a', enabled: true, configurations: { custom_headers: { Host: 'x' } } }],
      'input.models[0].configurations.custom_headers.Host',
    ],
    [
      'with a price below zero',
      [{ slug: 'a', enabled: true, pricingConfig: { pay_as_you_go: { request_token: { price: -1 } } } }],
      'input.models[0].pricingConfig.pay_as_you_go.request_token.price',
    ],
    [
      'with a price of something unknown',
      [{ slug: 'a', enabled: true, pricingConfig: { pay_as_you_go: { wink: { price: 1 } } } }],
      'input.models[0].pricingConfig.pay_as_you_go.wink',
    ],
  ])('are refused %s', async (_what, models, param) => {
    const before = await dumpResources(app);
    expect(errorOf(await updateModels(subject.id, { models }))).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(await dumpResources(app)).toBe(before);
  });
});

describe('the prices of a model', () => {
  const priced = (pricingConfig: object) =>
    updateModels(subject.id, { models: [{ slug: 'priced', enabled: true, pricingConfig }] });
  const expression = (levels: number): object =>
    levels === 1
      ? { operation: 'multiply', operands: [{ value: 'input_tokens' }, { value: 'rates.request_token' }] }
      : { operation: 'sum', operands: [expression(levels - 1)] };

  it('are kept as they were given: units, images, expressions', async () => {
    const pricingConfig = {
      type: 'static',
      pay_as_you_go: {
        reasoning_token: { price: 0 },
        additional_units: { web_search: { price: 1 } },
        image: { hd: { '1024x1024': { price: 8 }, default: { price: 9 } } },
      },
      calculate: { request: expression(8) },
      currency: 'USD',
      finetune_config: { pay_per_hour: { price: 500 } },
    };
    expect((await priced(pricingConfig)).errors).toBeUndefined();
    const { models } = dataOf(await read(subject.id)).integration;
    expect(models.at(-1)).toMatchObject({ slug: 'priced', pricingConfig });
  });

  const units = { pay_as_you_go: {} };
  it.each<[string, object]>([
    ['pay_as_you_go', { type: 'static' }],
    ['currency', { ...units, currency: 'EUR' }],
    ['wink', { ...units, wink: 1 }],
    ['pay_as_you_go.image.hd.a b', { pay_as_you_go: { image: { hd: { 'a b': { price: 1 } } } } }],
    [
      'pay_as_you_go.additional_units.search.price',
      { pay_as_you_go: { additional_units: { search: { price: '1' } } } },
    ],
    ['finetune_config.pay_per_day', { ...units, finetune_config: { pay_per_day: { price: 1 } } }],
    ['calculate.request.operation', { ...units, calculate: { request: { operation: 'divide' } } }],
    ['calculate.request.operands', { ...units, calculate: { request: { operation: 'sum', operands: [] } } }],
    [
      'calculate.response.operands[0].value',
      { ...units, calculate: { response: { operation: 'sum', operands: [{ value: 'x' }] } } },
    ],
    [`calculate.request${'.operands[0]'.repeat(8)}`, { ...units, calculate: { request: expression(9) } }],
  ])('are refused when %s is wrong', async (member, pricingConfig) => {
    expect(errorOf(await priced(pricingConfig))).toEqual({
      code: 'VALIDATION_FAILED',
      param: `input.models[0].pricingConfig.${member}`,
    });
  });
});

describe('sharing an integration', () => {
  it('says which workspaces may use it and gives them a provider', async () => {
    const other = await makeWorkspace('Other');
    const { id, slug } = await create('Shared');
    const entries = async () =>
      dataOf(
        await app.graphql(
          'query ($id: ID!) { integration(id: $id) { workspaceCount workspaces { enabled workspace { slug } } } }',
          { id },
        ),
      ).integration;

    await share(id, { globalWorkspaceAccess: { enabled: false } });
    expect(await entries()).toEqual({ workspaceCount: 0, workspaces: [] });
    expect(errorOf(await read(id, app.workspaceKey)).code).toBe('NOT_FOUND');

    dataOf(await share(id, { workspaces: [{ id: other.slug, enabled: true }] }));
    expect(await entries()).toEqual({
      workspaceCount: 1,
      workspaces: [{ enabled: true, workspace: { slug: other.slug } }],
    });
    expect(await providers(other.id)).toEqual([{ slug, integrationId: id }]);

    const mine = { id: app.workspaceId, enabled: true, defaultProviderSlug: 'mock' };
    expect(errorOf(await share(id, { workspaces: [mine] })).code).toBe('ALREADY_EXISTS');
    const withoutProvider = { ...mine, createDefaultProvider: false };
    await share(id, { workspaces: [withoutProvider], overrideExistingWorkspaceAccess: true });
    expect((await entries()).workspaces).toHaveLength(1);
    expect(await providers()).not.toContainEqual({ slug, integrationId: id });
  });

  it('ends at a number of entries that one read can show', async () => {
    const { id } = await create('Shared with many');
    const workspaces = Array.from({ length: 2000 }, (_, index) => ({
      workspaceId: `gone-${index}`,
      enabled: true,
    }));
    await integrationModel(app.db).updateOne({ _id: id }, { workspaces });
    const before = await dumpResources(app);
    const entry = { id: app.workspaceId, enabled: true, createDefaultProvider: false };
    expect(errorOf(await share(id, { workspaces: [entry] }))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.workspaces',
    });
    expect(await dumpResources(app)).toBe(before);
    dataOf(await share(id, { workspaces: [entry], overrideExistingWorkspaceAccess: true }));
  });

  it.each([
    ['no workspace', [{ id: 'nowhere', enabled: true }], 'input.workspaces[0].id'],
    ['a workspace of another tenant', 'neighbour', 'input.workspaces[0].id'],
    ['a workspace twice', 'twice', 'input.workspaces[1].id'],
  ])('is refused for %s', async (_what, given, param) => {
    const entry = { id: app.workspaceId, enabled: true };
    const workspaces =
      given === 'neighbour'
        ? [{ ...entry, id: neighbour.workspaceId }]
        : given === 'twice'
          ? [entry, entry]
          : given;
    const before = await dumpResources(app);
    expect(errorOf(await share(subject.id, { workspaces }))).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(await dumpResources(app)).toBe(before);
  });
});
