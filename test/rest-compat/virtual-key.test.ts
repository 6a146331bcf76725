import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf, makeKey } from '../subgraphs/support.ts';
import type { Tenant } from '../support/app.ts';
import { startWorld, type World } from '../support/world.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let world: World;
let neighbour: Tenant;

beforeAll(async () => {
  world = await startWorld();
  neighbour = await world.app.createTenant();
});
afterAll(() => world.stop());

const call = (method: string, path: string, body?: unknown, key = world.app.workspaceKey) =>
  world.app.rest(method, `/v1/virtual-keys${path}`, { key, body });
const secret = 'sk-virtual-key-secret-0001';
const input = { name: 'Main', provider: 'openai', key: secret };

const graph = async (query: string, variables: object) =>
  dataOf(await world.app.graphql(query, variables as never));

/** Sends calls of a virtual key to the scripted provider. */
async function leadToLoopback(slug: string, key = secret) {
  const { app, provider } = world;
  const shown = bodyOf(await app.rest('GET', `/v1/providers/${slug}`, { key: app.workspaceKey }));
  const body = { key, configurations: { custom_host: provider.url } };
  const path = `/v1/integrations/${shown.integration_id}`;
  bodyOf(await app.rest('PUT', path, { key: app.adminKey, body }));
}

describe('/v1/virtual-keys', () => {
  it('makes, reads, lists, updates and deletes', async () => {
    const made = bodyOf(await call('POST', '', { ...input, slug: 'main', note: 'n' }));
    expect(made).toEqual({ success: true, data: { slug: 'main' } });
    const shown = {
      id,
      name: 'Main',
      note: 'n',
      status: 'active',
      created_at: time,
      slug: 'main',
      model_config: {},
      expires_at: null,
      secret_mappings: [],
      workspace_id: world.app.workspaceId,
      ai_provider_name: 'openai',
      masked_api_key: 'sk-***0001',
      usage_limits: null,
      rate_limits: [],
      object: 'virtual-key',
    };
    expect(bodyOf(await call('GET', '/main'))).toEqual(shown);
    expect(bodyOf(await call('GET', '?page_size=1'))).toMatchObject({ object: 'list', data: [shown] });
    expect(bodyOf(await call('PUT', '/main', { note: null, key: 'sk-virtual-key-other-0002' }))).toEqual({});
    expect(bodyOf(await call('GET', '/main'))).toEqual({
      ...shown,
      note: null,
      masked_api_key: 'sk-***0002',
    });
    expect(refusalOf(await call('GET', '/main', undefined, neighbour.workspaceKey)).status).toBe(404);
    expect(refusalOf(await call('GET', '/main', undefined, world.app.adminKey)).param).toBe('workspace_id');
    expect(bodyOf(await call('DELETE', '/main'))).toEqual({});
    expect(refusalOf(await call('DELETE', '/main'))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it('is on /v2 as well, for access tokens', async () => {
    const { app } = world;
    const key = await app.token(app);
    const answer = await app.rest('GET', `/v2/virtual-keys?workspace_id=${app.workspaceId}`, { key });
    expect(bodyOf(answer)).toMatchObject({ object: 'list' });
    const refused = await app.rest('GET', '/v2/virtual-keys', { key: app.workspaceKey });
    expect(refusalOf(refused)).toMatchObject({ status: 401, code: 'AB05' });
  });

  it('says what is wrong with a credential in its own envelope too', async () => {
    const { status, body } = await call('GET', '', undefined, 'sl-not-a-key');
    const { success, data, error } = body as any;
    expect({ status, success, data }).toEqual({
      status: 401,
      success: false,
      data: { message: error.message },
    });
  });

  it('works in a header, in a model, and in a config', async () => {
    bodyOf(await call('POST', '', { ...input, slug: 'used' }));
    await leadToLoopback('used');
    const model = 'gpt-test';
    const body = { model, messages: [{ role: 'user', content: 'x' }] };
    const ways = [
      { headers: { 'x-gateway-virtual-key': 'used' }, body },
      { headers: { 'x-gateway-provider': '@used' }, body },
      { body: { ...body, model: `@used/${model}` } },
      { config: { virtual_key: 'used' }, body },
    ];
    for (const way of ways) {
      const { answer } = await world.logged([], way);
      expect(answer.status).toBe(200);
      expect(world.provider.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`);
    }
    bodyOf(await call('PUT', '/used', { key: 'sk-virtual-key-new-0003' }));
    await world.logged([], ways[0]);
    expect(world.provider.requests[0]?.headers.authorization).toBe('Bearer sk-virtual-key-new-0003');
    bodyOf(await call('DELETE', '/used'));
    expect((await world.call(ways[0])).status).toBe(400);
  });

  it('shows providers of the newer face, whose credential is changed where it is', async () => {
    const shown = bodyOf(await call('GET', `/${world.slug}`));
    expect(shown).toMatchObject({ ai_provider_name: 'openai', masked_api_key: null, model_config: {} });
    expect(bodyOf(await call('PUT', `/${world.slug}`, { note: 'seen' }))).toEqual({});
    expect(bodyOf(await call('GET', `/${world.slug}`)).note).toBe('seen');
    for (const [member, value] of Object.entries({
      key: 'sk-other',
      deploymentConfig: [{ apiVersion: 'v1', deploymentName: 'x' }],
    })) {
      const refused = await call('PUT', `/${world.slug}`, { [member]: value });
      expect(refusalOf(refused)).toEqual({ status: 400, code: 'AB01', param: member });
      expect(JSON.stringify(refused.body)).toContain(world.slug);
    }
  });

  it('is a provider whose integration goes with it, whichever face deletes it', async () => {
    const integrations = 'query ($name: String) { integrations(name: $name) { data { id slug } } }';
    const named = async (name: string) => (await graph(integrations, { name })).integrations.data;
    for (const path of ['virtual-keys', 'providers']) {
      bodyOf(await call('POST', '', { ...input, name: `Own ${path}`, slug: path }));
      const provider = bodyOf(
        await world.app.rest('GET', `/v1/providers/${path}`, { key: world.app.workspaceKey }),
      );
      const [integration] = await named(`Own ${path}`);
      expect(provider.integration_id).toBe(integration.id);
      const further = { name: 'x', integration_id: integration.id };
      const refused = await world.app.rest('POST', '/v1/providers', {
        key: world.app.workspaceKey,
        body: further,
      });
      expect(refusalOf(refused)).toMatchObject({ status: 400, param: 'integration_id' });
      bodyOf(await world.app.rest('DELETE', `/v1/${path}/${path}`, { key: world.app.workspaceKey }));
      expect(await named(`Own ${path}`)).toEqual([]);
    }
  });

  it('keeps deployments at Azure', async () => {
    const deployments = [
      { apiVersion: '2024-10-21', deploymentName: 'four', alias: 'gpt-4o', is_default: true },
      { apiVersion: 'v1', deploymentName: 'mini', alias: 'mini', is_default: false },
    ];
    const azure = { name: 'Azure', provider: 'azure-openai', slug: 'azure', resourceName: 'res' };
    bodyOf(await call('POST', '', { ...azure, deploymentConfig: deployments }));
    const modelConfig = async () => bodyOf(await call('GET', '/azure')).model_config;
    expect(await modelConfig()).toEqual({ resourceName: 'res', deploymentConfig: deployments });
    bodyOf(await call('PUT', '/azure', { deploymentConfig: [{ apiVersion: 'v1', deploymentName: 'five' }] }));
    expect(await modelConfig()).toEqual({
      resourceName: 'res',
      deploymentConfig: [{ apiVersion: 'v1', deploymentName: 'five', alias: 'five', is_default: false }],
    });
  });

  it.each([
    ['no name', { provider: 'openai' }, 400, 'AB01', 'name'],
    ['no provider', { name: 'x' }, 400, 'AB01', 'provider'],
    ['an unknown provider', { ...input, provider: 'x' }, 400, 'AB01', 'provider'],
    ['a setting of another kind', { ...input, resourceName: 'x' }, 400, 'AB01', 'resourceName'],
    [
      'a resource that is no part of a host',
      { ...input, provider: 'azure-openai', resourceName: 'a/b' },
      400,
      'AB01',
      'resourceName',
    ],
    [
      'a deployment without a version',
      { ...input, provider: 'azure-openai', deploymentConfig: [{ deploymentName: 'x' }] },
      400,
      'AB01',
      'deploymentConfig[0].api_version',
    ],
    ['a workspace of another tenant', { ...input, workspace_id: 'none' }, 403, 'AB03', 'workspace_id'],
    ['a moment in the past', { ...input, expires_at: '2020-01-01T00:00:00Z' }, 400, 'AB01', 'expires_at'],
    ['a slug that is taken', { ...input, slug: 'mock' }, 409, 'AB07', 'slug'],
  ])('refuses %s, and leaves nothing', async (_what, body, status, code, param) => {
    const count = () => world.app.db.collection('integrations').countDocuments();
    const before = await count();
    expect(refusalOf(await call('POST', '', body))).toEqual({ status, code, param });
    expect(await count()).toBe(before);
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(world.app, 'workspace-service', { only: ['logs.list'] });
    await expectGuarded(world.app, ['POST', '/v1/virtual-keys', input], key);
    await expectGuarded(world.app, ['GET', '/v1/virtual-keys'], key);
    await expectGuarded(world.app, ['GET', '/v1/virtual-keys/mock'], key);
    await expectGuarded(world.app, ['PUT', '/v1/virtual-keys/mock', { name: 'x' }], key);
    await expectGuarded(world.app, ['DELETE', '/v1/virtual-keys/mock'], key);
  });
});
