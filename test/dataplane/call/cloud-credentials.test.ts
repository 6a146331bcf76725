import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chatAnswer, json, type ScriptedProvider, startProvider } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
let cloud: ScriptedProvider;
beforeAll(async () => {
  cloud = await startProvider();
  world = await startWorld({
    CLOUD_IDENTITY: 'true',
    AZURE_POD_IDENTITY_AUTHORITY_HOST: new URL(cloud.url).origin,
  });
});
afterAll(async () => {
  await world.stop();
  await cloud.stop();
});
beforeEach(() => cloud.play(json(200, { access_token: 'own-token', expires_in: '3600' })));

const messages = [{ role: 'user', content: 'x' }];

describe('an integration with deployments at Azure', () => {
  const deployments = [
    {
      azure_deployment_name: 'four-o',
      azure_api_version: '2024-10-21',
      azure_model_slug: 'gpt-4o',
      alias: 'big',
      is_default: true,
    },
    { azure_deployment_name: 'mini-one', azure_api_version: 'v1', azure_model_slug: 'gpt-4o-mini' },
  ];
  let slug: string;
  beforeAll(async () => {
    slug = await world.makeProvider({
      ai_provider_id: 'azure-openai',
      configurations: {
        custom_host: world.provider.url.replace('/v1', '/openai'),
        azure_auth_mode: 'default',
        azure_resource_name: 'res',
        azure_deployment_config: deployments,
      },
    });
  });

  test.each([
    ['big', '/openai/deployments/four-o/chat/completions?api-version=2024-10-21', 'big', 'gpt-4o'],
    ['gpt-4o', '/openai/deployments/four-o/chat/completions?api-version=2024-10-21', 'gpt-4o', 'gpt-4o'],
    ['gpt-4o-mini', '/openai/v1/chat/completions', 'mini-one', 'gpt-4o-mini'],
    ['mini-one', '/openai/v1/chat/completions', 'mini-one', 'gpt-4o-mini'],
    ['other', '/openai/deployments/four-o/chat/completions?api-version=2024-10-21', 'other', 'gpt-4o'],
  ])('answers %s where its deployment is, at its price', async (model, url, sent, priced) => {
    const body = { model: `@${slug}/${model}`, messages };
    // Azure's answer names nothing that has a price.
    const answer = { ...chatAnswer('hello'), model: 'a-deployment' };
    const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 };
    const { record } = await world.logged(json(200, { ...answer, usage }), { body });
    const [request] = world.provider.requests;
    expect(request?.url).toBe(url);
    expect(request?.headers['api-key']).toBe('sk-stored-credential-0123456789');
    expect(JSON.parse(String(request?.body)).model).toBe(sent);
    expect(record.costNanodollars).toBe({ 'gpt-4o': 2.5e9, 'gpt-4o-mini': 0.15e9 }[priced]);
  });

  test.each([
    [[], 'a list of 1 to 100'],
    [[{ azure_deployment_name: 'x', azure_api_version: 'v1' }], 'the one at 0 is not'],
    [[{ ...deployments[0], azure_deployment_name: '../x' }], 'the one at 0 is not'],
    [[deployments[0], { ...deployments[1], is_default: true }], 'one default'],
  ])('refuses %j', async (list, message) => {
    const { status, body } = await world.app.rest('POST', '/v1/integrations', {
      key: world.app.adminKey,
      body: {
        name: 'x',
        ai_provider_id: 'azure-openai',
        configurations: { azure_deployment_config: list },
      },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { param: 'configurations.azure_deployment_config' } });
    expect(JSON.stringify(body)).toContain(message);
  });
});

describe("the gateway's own identity", () => {
  const managed = { azure_auth_mode: 'managed', azure_resource_name: 'res-that-is-nowhere' };
  const body = { model: 'gpt-4o', messages };

  test('is shown for an integration that leads to Azure', async () => {
    const slug = await world.makeProvider({
      ai_provider_id: 'azure-openai',
      key: undefined,
      configurations: managed,
    });
    const answer = await world.call({ body: { ...body, model: `@${slug}/gpt-4o` } });
    expect(cloud.requests).toHaveLength(1);
    // The host of the resource cannot be looked up here.
    expect(answer.status).toBeGreaterThanOrEqual(500);
  });

  test('goes to no custom host, be it of an integration, of a request or of a config', async () => {
    const slug = await world.makeProvider({
      ai_provider_id: 'azure-openai',
      key: undefined,
      configurations: { ...managed, custom_host: world.provider.url },
    });
    world.provider.play(json(200, {}));
    const inline = { provider: 'azure-openai', custom_host: world.provider.url, ...managed };
    const ways = [
      { body: { ...body, model: `@${slug}/gpt-4o` } },
      { body, config: inline },
      { body, config: { ...inline, custom_host: undefined } },
      {
        body,
        headers: {
          'x-gateway-provider': 'azure-openai',
          'x-gateway-azure-resource-name': 'res',
          'x-gateway-azure-auth-mode': 'managed',
        },
      },
    ];
    for (const way of ways) {
      const { status, json } = await world.call(way);
      expect([status, json.error.param]).toEqual([400, 'azure_auth_mode']);
    }
    expect(world.provider.requests).toEqual([]);
    expect(cloud.requests).toEqual([]);
  });
});

describe('a service account of Google in a config', () => {
  const account = {
    type: 'service_account',
    client_email: 'me@project.iam.gserviceaccount.com',
    private_key: 'planted-private-key-of-google-91ce',
    project_id: 'project-1',
  };
  const config = { provider: 'vertex-ai', vertex_region: 'eu', vertex_service_account_json: account };

  test('may be an object, which is asked for a token', async () => {
    const { status, text } = await world.call({
      config,
      body: { model: 'gemini-2.5-flash', messages },
    });
    expect([status, text]).toEqual([400, expect.stringContaining('has no usable private_key')]);
    expect(text).not.toContain('planted');
  });

  test('is sealed in a saved config, and shown as a mask that keeps it', async () => {
    const { app } = world;
    const saved = await app.rest('POST', '/v1/configs', { body: { name: 'vertex', config } });
    expect(saved.status).toBe(200);
    const { id } = (saved.body as any).data;
    const stored = JSON.stringify(await app.db.collection('configs').find({}).toArray());
    const versions = JSON.stringify(await app.db.collection('config_versions').find({}).toArray());
    for (const text of [stored, versions]) {
      expect(text).toContain('vertex_service_account_json');
      expect(text).not.toContain('planted-private-key');
    }
    const read = async () => ((await app.rest('GET', `/v1/configs/${id}`)).body as any).data;
    const shown = (await read()).config;
    expect(shown.vertex_service_account_json).toMatch(/^.{3}\*{3}.{4}$/);
    const again = await app.rest('PUT', `/v1/configs/${id}`, { body: { config: shown } });
    expect(again.status).toBe(200);
    const { status, text } = await world.call({ config: id, body: { model: 'gemini-2.5-flash', messages } });
    expect([status, text]).toEqual([400, expect.stringContaining('has no usable private_key')]);
  });
});
