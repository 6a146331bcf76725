import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { created } from '../../support/world.ts';
import { dataOf, errorOf, makeKey } from '../support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  const named = (slug: string, more: object) => ({
    name: slug,
    slug,
    ai_provider_id: 'openai',
    create_default_provider: false,
    ...more,
  });
  await created(
    app,
    '/v1/integrations',
    named('main', { pricing_adjustments: { multiplier: { default: 2 } } }),
    app.adminKey,
  );
  await created(app, '/v1/integrations', named('few', {}), app.adminKey);
  const pricing = {
    type: 'static',
    pay_as_you_go: { request_token: { price: 0.5 }, response_token: { price: 1 } },
  };
  const models = [
    { slug: 'gpt-4o', enabled: true },
    { slug: 'gpt-4o-mini', enabled: false },
    { slug: 'tuned', enabled: true, is_custom: true, base_model_slug: 'gpt-4o' },
    { slug: 'priced', enabled: true, is_custom: true, pricing_config: pricing },
  ];
  const path = '/v1/integrations/few/models';
  const body = { models, allow_all_models: false };
  expect((await app.rest('PUT', path, { body, key: app.adminKey })).status).toBe(200);
  for (const slug of ['main', 'few'])
    await created(app, '/v1/providers', { name: slug, slug, integration_id: slug });
});
afterAll(() => app.stop());

const query = `query ($workspaceId: ID, $provider: ID, $search: String, $currentPage: Int, $pageSize: Int) {
  availableModels(workspaceId: $workspaceId, provider: $provider, search: $search, currentPage: $currentPage, pageSize: $pageSize) {
    object total
    data { id model provider aiProviderId isCustom contextWindow payAsYouGo priceSource pricingAdjustments }
  }
}`;
const ask = (variables: object = {}, key = app.workspaceKey) => app.graphql(query, variables as never, key);
const list = async (variables?: object, key?: string) => dataOf(await ask(variables, key)).availableModels;
const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

it('shows what an integration lists, with price and context window', async () => {
  const page = await list({ provider: 'few' });
  expect(page).toMatchObject({ object: 'list', total: 3 });
  expect(ids(page)).toEqual(['@few/gpt-4o', '@few/priced', '@few/tuned']);
  const [known, priced, tuned] = page.data;
  expect(known).toMatchObject({
    model: 'gpt-4o',
    provider: 'few',
    aiProviderId: 'openai',
    isCustom: false,
    contextWindow: 128_000,
    payAsYouGo: { request_token: { price: 0.00025 }, response_token: { price: 0.001 } },
    priceSource: 'catalogue',
    pricingAdjustments: null,
  });
  expect(priced).toMatchObject({
    isCustom: true,
    contextWindow: null,
    payAsYouGo: { request_token: { price: 0.5 } },
    priceSource: 'integration',
  });
  expect(tuned).toMatchObject({ contextWindow: 128_000, payAsYouGo: known.payAsYouGo });
});

it('has the known models of a kind where all are allowed, filtered and paged', async () => {
  const all = await list({ pageSize: 500 });
  expect(ids(all)).toEqual(expect.arrayContaining(['@few/tuned', '@main/gpt-4o', '@mock/mock-1']));
  expect(ids(all)).toEqual([...ids(all)].sort());
  expect(all.total).toBe(all.data.length);
  expect(all.data.find(({ id }: any) => id === '@main/gpt-4o').pricingAdjustments).toEqual({
    multiplier: { default: 2 },
  });
  const minis = await list({ search: 'GPT-4O-MINI', provider: 'main' });
  expect(ids(minis)).toContain('@main/gpt-4o-mini');
  expect(ids(minis).every((id) => id.includes('gpt-4o-mini'))).toBe(true);
  const second = await list({ search: 'gpt', currentPage: 1, pageSize: 2 });
  const whole = await list({ search: 'gpt', pageSize: 500 });
  expect(ids(second)).toEqual(ids(whole).slice(2, 4));
  expect(second.total).toBe(whole.total);
  expect((await list({ provider: 'nothing' })).total).toBe(0);
});

it('agrees with what the gateway lists to callers', async () => {
  const { body } = await app.rest('GET', '/v1/models', {});
  const offered = (body as { data: { id: string }[] }).data.map(({ id }) => id);
  expect(ids(await list({ pageSize: 500 }))).toEqual(expect.arrayContaining(offered));
});

it('leaves out what the workspace may not use any more', async () => {
  await created(app, '/v1/providers', { name: 'late', slug: 'late', integration_id: 'few' });
  expect((await list({ provider: 'late' })).total).toBe(3);
  await app.db.collection('providers').updateOne({ slug: 'late' }, { $set: { expiresAt: new Date(0) } });
  expect((await list({ provider: 'late' })).total).toBe(0);
  const body = { workspaces: [{ id: app.workspaceId, enabled: false }] };
  await app.rest('PUT', '/v1/integrations/few/workspaces', { body, key: app.adminKey });
  expect((await list({ provider: 'few' })).total).toBe(0);
  expect((await list({ provider: 'main' })).total).toBeGreaterThan(0);
});

it('is of one workspace, which an organisation-wide credential names', async () => {
  expect(errorOf(await ask({}, app.adminKey))).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(
    (await list({ workspaceId: app.workspaceId, provider: 'main' }, app.adminKey)).total,
  ).toBeGreaterThan(0);
  const neighbour = await app.createTenant();
  expect((await list({ provider: 'main' }, neighbour.workspaceKey)).total).toBe(0);
  expect(errorOf(await ask({ workspaceId: app.workspaceId }, neighbour.adminKey)).code).toBe(
    'VALIDATION_FAILED',
  );
  const other = await makeKey(app, 'workspace-service', { only: ['configs.list'] });
  expect(errorOf(await ask({}, other)).code).toBe('FORBIDDEN');
  expect(errorOf(await ask({ pageSize: 501 })).code).toBe('VALIDATION_FAILED');
  expect(errorOf(await ask({ currentPage: 20_000, pageSize: 500 })).param).toBe('currentPage');
});
