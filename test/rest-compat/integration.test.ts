import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.adminKey) =>
  app.rest(method, `/v1/integrations${path}`, { key, body });
const input = { name: 'OpenAI', ai_provider_id: 'openai' };

describe('/v1/integrations', () => {
  it('makes, reads, lists, updates and deletes', async () => {
    const secret = 'sk-rest-secret-0001';
    const made = bodyOf(
      await call('POST', '', {
        ...input,
        slug: 'openai-rest',
        key: secret,
        description: 'd',
        configurations: { openai_organization: 'org-1', custom_headers: { 'X-Team': 'header-secret-02' } },
        tags: { team: 'search' },
        create_default_provider: false,
      }),
    );
    expect(made).toEqual({ id, slug: 'openai-rest' });
    const row = {
      id: made.id,
      organisation_id: app.organisationId,
      workspace_id: null,
      ai_provider_id: 'openai',
      name: 'OpenAI',
      status: 'active',
      created_at: time,
      last_updated_at: time,
      slug: 'openai-rest',
      description: 'd',
      tags: { team: 'search' },
      object: 'integration',
    };
    expect(bodyOf(await call('GET', '?type=organisation&tags={"team":"search"}&page_size=2'))).toEqual({
      object: 'list',
      total: 1,
      data: [row],
    });
    const shown = {
      ...row,
      masked_key: 'sk-***0001',
      configurations: { openai_organization: 'org-1', custom_headers: { 'X-Team': 'hea***t-02' } },
      global_workspace_access_settings: { enabled: true, usage_limits: [], rate_limits: [] },
      allow_all_models: true,
      workspace_count: 1,
      pricing_adjustments: null,
      secret_mappings: [],
    };
    expect(bodyOf(await call('GET', '/openai-rest'))).toEqual(shown);
    expect(bodyOf(await call('PUT', '/openai-rest', { name: 'Renamed' }))).toEqual({});
    expect(bodyOf(await call('GET', `/${made.id}`))).toMatchObject({
      name: 'Renamed',
      masked_key: 'sk-***0001',
    });
    expect(bodyOf(await call('DELETE', '/openai-rest'))).toEqual({});
    expect(refusalOf(await call('GET', '/openai-rest'))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it('keeps models', async () => {
    const { slug } = bodyOf(await call('POST', '', input));
    const pricing = { type: 'static', pay_as_you_go: { response_token: { price: 0.002 } } };
    const models = [
      { slug: 'gpt-4o', enabled: false },
      { slug: 'own', enabled: true, is_custom: true, base_model_slug: 'gpt-4o', pricing_config: pricing },
    ];
    expect(bodyOf(await call('PUT', `/${slug}/models`, { models, allow_all_models: false }))).toEqual({});
    const known = { is_custom: false, is_finetune: false, base_model_slug: null, configurations: {} };
    expect(bodyOf(await call('GET', `/${slug}/models`))).toEqual({
      total: 2,
      models: [
        { ...known, slug: 'gpt-4o', name: 'gpt-4o', enabled: false, pricing_config: null },
        { ...known, ...models[1], name: 'own' },
      ],
    });
    expect(bodyOf(await call('GET', `/${slug}/integration-models`)).total).toBe(2);
    const older = { models: [{ slug: 'older', enabled: true, is_custom: true }] };
    expect(bodyOf(await call('PUT', `/${slug}/integration-models`, older))).toEqual({});
    expect(bodyOf(await call('GET', `/${slug}/models`)).total).toBe(3);
    expect(bodyOf(await call('DELETE', `/${slug}/integration-models?slugs=older`))).toEqual({});
    expect(bodyOf(await call('DELETE', `/${slug}/models?slugs=own`))).toEqual({});
    expect(bodyOf(await call('GET', `/${slug}/models`)).total).toBe(1);
    expect(refusalOf(await call('DELETE', `/${slug}/models`)).param).toBe('slugs');
    expect(refusalOf(await call('PUT', `/${slug}/models`, { models: [{ slug: 'x' }] })).param).toBe(
      'models[0].enabled',
    );
  });

  it('keeps workspaces', async () => {
    const { slug } = bodyOf(await call('POST', '', input));
    const workspaces = [{ id: app.workspaceId, enabled: true }];
    const body = { workspaces, global_workspace_access: { enabled: false } };
    expect(bodyOf(await call('PUT', `/${slug}/workspaces`, body))).toEqual({});
    const shown = workspaces.map((workspace) => ({ ...workspace, usage_limits: [], rate_limits: [] }));
    expect(bodyOf(await call('GET', `/${slug}/workspaces`))).toEqual({ total: 1, workspaces: shown });
    expect(bodyOf(await call('GET', `/${slug}`))).toMatchObject({
      workspace_count: 1,
      global_workspace_access_settings: { enabled: false },
    });
    const stranger = { workspaces: [{ id: neighbour.workspaceId, enabled: true }] };
    expect(refusalOf(await call('PUT', `/${slug}/workspaces`, stranger)).param).toBe('workspaces[0].id');
  });

  it.each([
    ['no name', { ai_provider_id: 'openai' }, 'name'],
    ['an unknown provider kind', { ...input, ai_provider_id: 'x' }, 'ai_provider_id'],
    [
      'a setting nothing acts on',
      { ...input, configurations: { aws_region: 'x' } },
      'configurations.aws_region',
    ],
    ['a relative host', { ...input, configurations: { custom_host: 'x' } }, 'configurations.custom_host'],
    ['a slug with spaces', { ...input, slug: 'a b' }, 'slug'],
  ])('refuses %s', async (_what, body, param) => {
    expect(refusalOf(await call('POST', '', body))).toEqual({ status: 400, code: 'AB01', param });
  });

  it('keeps factors on prices until they are null', async () => {
    const multiplier = { default: 1.2, request_token: 0, reasoning_token: null, image: { default: 2 } };
    const made = { ...input, name: 'adjusted', pricing_adjustments: { multiplier } };
    const { slug } = bodyOf(await call('POST', '', made));
    const adjustments = async () => bodyOf(await call('GET', `/${slug}`)).pricing_adjustments;
    expect(await adjustments()).toEqual({ multiplier });
    await call('PUT', `/${slug}`, { name: 'other' });
    expect(await adjustments()).toEqual({ multiplier });
    const units = { multiplier: { additional_units: { web_search: 0.5 } } };
    expect(bodyOf(await call('PUT', `/${slug}`, { pricing_adjustments: units }))).toEqual({});
    expect(await adjustments()).toEqual(units);
    await call('PUT', `/${slug}`, { pricing_adjustments: null });
    expect(await adjustments()).toBeNull();
  });

  it.each([
    [{ multiplier: { request_token: -1 } }, 'multiplier.request_token'],
    [{ multiplier: { default: '1' } }, 'multiplier.default'],
    [{ multiplier: { wink: 1 } }, 'multiplier.wink'],
    [{ multiplier: { image: { hd: 1 } } }, 'multiplier.image.hd'],
    [{ multiplier: { additional_units: { 'a b': 1 } } }, 'multiplier.additional_units.a b'],
    [{ factor: 1 }, 'factor'],
    [{ multiplier: [] }, 'multiplier'],
  ])('refuses the adjustments %j', async (adjustments, param) => {
    expect(refusalOf(await call('POST', '', { ...input, pricing_adjustments: adjustments }))).toEqual({
      status: 400,
      code: 'AB01',
      param: `pricing_adjustments.${param}`,
    });
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['logs.list'] });
    const { slug } = bodyOf(await call('POST', '', input));
    const path = `/v1/integrations/${slug}`;
    await expectGuarded(app, ['POST', '/v1/integrations', input], key);
    await expectGuarded(app, ['GET', '/v1/integrations'], key);
    await expectGuarded(app, ['GET', path], key);
    await expectGuarded(app, ['PUT', path, { name: 'x' }], key);
    await expectGuarded(app, ['DELETE', path], key);
    await expectGuarded(app, ['GET', `${path}/models`], key);
    await expectGuarded(app, ['PUT', `${path}/models`, { models: [] }], key);
    await expectGuarded(app, ['DELETE', `${path}/models?slugs=x`], key);
    await expectGuarded(app, ['GET', `${path}/workspaces`], key);
    await expectGuarded(app, ['PUT', `${path}/workspaces`, {}], key);
    expect(refusalOf(await call('GET', `/${slug}`, undefined, neighbour.adminKey))).toMatchObject({
      status: 404,
    });
    expect(bodyOf(await call('GET', '', undefined, neighbour.adminKey)).total).toBe(1);
  });
});
