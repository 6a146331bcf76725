import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Bundles, bundlesOf } from './bundles.ts';

let app: TestApp;
let from: Bundles;
let to: Bundles;

async function send(method: string, path: string, body: object): Promise<void> {
  const answer = await app.rest(method, `/v1/${path}`, { key: app.adminKey, body });
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
}
const post = (path: string, body: object) => send('POST', path, body);
const put = (path: string, body: object) => send('PUT', path, body);

/** What people make in an installation, without a document of any of it. */
async function makeByHand(): Promise<void> {
  const workspace_id = app.workspaceId;
  await post('admin/workspaces', {
    name: 'Search',
    slug: 'search',
    defaults: { metadata: { team: 'search' } },
  });
  await post('secret-references', {
    name: 'Cloud',
    slug: 'cloud',
    manager_type: 'aws_sm',
    auth_config: {
      aws_auth_type: 'accessKey',
      aws_access_key_id: 'AKIABYHANDBYHANDBYHA',
      aws_secret_access_key: 'made+by+hand+0123456789',
      aws_region: 'eu-west-1',
    },
    secret_path: 'prod/openai',
  });
  await post('integrations', {
    name: 'Azure',
    slug: 'azure',
    ai_provider_id: 'azure-openai',
    key: 'azure-key-made-by-hand',
    configurations: {
      azure_auth_mode: 'default',
      azure_resource_name: 'resource',
      azure_deployment_config: [
        {
          azure_deployment_name: 'chat',
          azure_api_version: '2024-10-21',
          azure_model_slug: 'gpt-4o',
          is_default: true,
        },
      ],
    },
    pricing_adjustments: { multiplier: { default: 2 } },
    tags: { tier: 'one' },
  });
  await post('integrations', {
    name: 'Mapped',
    slug: 'mapped',
    ai_provider_id: 'openai',
    workspace_id,
    secret_mappings: [{ target_field: 'key', secret_reference_id: 'cloud', secret_key: 'key' }],
  });
  await put('integrations/azure/models', {
    allow_all_models: false,
    models: [{ slug: 'gpt-4o', enabled: true }],
  });
  await put('integrations/azure/workspaces', {
    global_workspace_access: { enabled: false },
    workspaces: [{ id: 'search', enabled: true }],
  });
  await post('providers', {
    name: 'Azure',
    integration_id: 'azure',
    workspace_id: 'search',
    note: 'By hand',
  });
  await post('virtual-keys', {
    name: 'Older face',
    provider: 'openai',
    key: 'sk-made-by-hand',
    workspace_id,
  });
  const checks = [{ id: 'default.wordCount', parameters: { minWords: 1 } }];
  await post('guardrails', { name: 'Words', checks, workspace_id, actions: { deny: true } });
  await post('configs', {
    name: 'Routes',
    workspace_id,
    config: { provider: 'openai', api_key: 'sk-in-a-config-made-by-hand', cache: { mode: 'simple' } },
  });
  // Names of keys are not unique.
  for (const scopes of [['completions.write'], ['configs.list', 'completions.write']])
    await post('api-keys/workspace/service', {
      name: 'CI',
      workspace_id,
      scopes,
      defaults: { metadata: { from: 'ci' }, allow_config_override: false },
      alert_emails: ['ops@example.com'],
      rotation_policy: { rotation_period: 'monthly', key_transition_period_ms: 1_800_000 },
    });
  await post('api-keys/organisation/service', { name: 'CI', scopes: ['workspaces.list'] });
}

beforeAll(async () => {
  app = await startApp();
  const empty = await app.createTenant();
  [from, to] = [bundlesOf(app, await app.token()), bundlesOf(app, await app.token(empty))];
  await makeByHand();
});
afterAll(() => app.stop());

it('what nobody described is exported, makes the same elsewhere, and is unchanged there and here', async () => {
  const text = await from.exportText();
  for (const secret of ['made-by-hand', 'made+by+hand']) expect(text).not.toContain(secret);
  const documents = JSON.parse(text);
  // The default provider of the integration is still there, in a workspace that lost it.
  const ofAzure = documents.filter(
    ({ spec }: { spec: { integration?: string } }) => spec.integration === 'azure',
  );
  const places = new Set(ofAzure.map(({ spec }: { spec: { workspace: string } }) => spec.workspace));
  expect(places).toEqual(new Set(['search']));
  const given: Record<string, string> = {};
  JSON.stringify(documents, (_name, value) => {
    if (typeof value?.env === 'string') given[`env:${value.env}`] = `value_of_${value.env}_0123456789`;
    return value;
  });
  expect(await to.apply(documents, { secrets: given })).toMatchObject({ failure: null, remaining: 0 });
  expect(await to.exportText()).toBe(text);
  for (const bundles of [from, to]) {
    const { changes } = await bundles.plan(documents);
    expect(changes.filter(({ action }: { action: string }) => action !== 'unchanged')).toEqual([]);
  }
});
