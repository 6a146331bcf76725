import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { dataOf, errorOf } from '../support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const query = `{ providerKinds {
  id name endpoints keyLabel needsCustomHost listsModels settings { key label type secret required options }
} }`;

it('all kinds are described, to whoever has a credential', async () => {
  const { providerKinds: kinds } = dataOf(await app.graphql(query, {}, app.workspaceKey));
  expect(kinds.length).toBeGreaterThan(75);
  const kindOf = (id: string) => kinds.find((kind: any) => kind.id === id);
  expect(kindOf('openai')).toMatchObject({
    name: 'OpenAI',
    keyLabel: 'API key',
    needsCustomHost: false,
    listsModels: true,
    endpoints: expect.arrayContaining(['chatComplete', 'embed', 'realtime']),
  });
  expect(kindOf('openai').endpoints).not.toContain('proxy');
  expect(kindOf('deepseek').name).toBe('DeepSeek');
  expect(kindOf('perplexity-ai').name).toBe('Perplexity AI');
  expect(kindOf('ollama')).toMatchObject({ keyLabel: null, needsCustomHost: true });
  expect(kindOf('mock')).toMatchObject({ keyLabel: null, needsCustomHost: false });
  expect(kindOf('gateway')).toBeUndefined();
  const settings = Object.fromEntries(
    kindOf('azure-openai').settings.map((setting: any) => [setting.key, setting]),
  );
  expect(settings.azure_resource_name).toEqual({
    key: 'azure_resource_name',
    label: 'Azure resource name',
    type: 'text',
    secret: false,
    required: true,
    options: [],
  });
  expect(settings.azure_auth_mode).toMatchObject({
    type: 'choice',
    required: false,
    options: ['default', 'entra', 'entraFederated', 'managed', 'workload'],
  });
  expect(settings.azure_entra_client_secret).toMatchObject({ secret: true });
  expect(settings.azure_deployment_config).toMatchObject({ type: 'list' });
  const [region, account] = ['vertex_region', 'vertex_service_account_json'].map((key) =>
    kindOf('vertex-ai').settings.find((setting: any) => setting.key === key),
  );
  expect(region).toMatchObject({ required: true });
  expect(account).toMatchObject({ type: 'object', secret: true, label: 'Vertex service account JSON' });
});

it('nobody sees them without a credential', async () => {
  const { body } = await app.rest('POST', '/graphql', { key: null, body: { query } });
  expect(errorOf(body as never).code).toBe('UNAUTHENTICATED');
});

it('an integration of each kind takes what its settings say', async () => {
  const { providerKinds: kinds } = dataOf(await app.graphql(query, {}, app.adminKey));
  for (const { id, settings } of kinds) {
    const choices = settings.filter(({ type }: any) => type === 'choice');
    const configurations = Object.fromEntries(choices.map(({ key, options }: any) => [key, options[0]]));
    const body = { name: id, ai_provider_id: id, configurations, create_default_provider: false };
    const { status } = await app.rest('POST', '/v1/integrations', { key: app.adminKey, body });
    expect([id, status]).toEqual([id, 200]);
  }
});
