import type { TestApp } from '../../support/app.ts';

/** The three operations on bundles, asked with one credential. Each throws where the answer is an error. */
export type Bundles = ReturnType<typeof bundlesOf>;

const change = '{ kind slug action members }';

export function bundlesOf(app: TestApp, token: string) {
  const ask = async (query: string, variables: object = {}) => {
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await app.rest('POST', '/graphql', { key: null, headers, body: { query, variables } });
    return body as { data: any; errors?: { message: string; extensions: any }[] };
  };
  const result = async (query: string, variables: object = {}) => {
    const { data, errors } = await ask(query, variables);
    if (errors) throw new Error(JSON.stringify(errors));
    return data.result;
  };
  const planText = `query ($input: PlanBundleInput!) { result: planBundle(input: $input) { digest changes ${change} } }`;
  const applyText = `mutation ($input: ApplyBundleInput!) { result: applyBundle(input: $input) {
    applied ${change} remaining credentials { kind slug id secret } failure { change ${change} code message } } }`;
  return {
    ask,
    result,
    plan: (documents: readonly unknown[], more: object = {}) =>
      result(planText, { input: { documents, ...more } }),
    apply: (documents: readonly unknown[], more: object = {}) =>
      result(applyText, { input: { documents, ...more } }),
    refusedPlan: async (documents: unknown, more: object = {}) =>
      (await ask(planText, { input: { documents, ...more } })).errors?.[0],
    refusedApply: async (documents: unknown, more: object = {}) =>
      (await ask(applyText, { input: { documents, ...more } })).errors?.[0],
    exportText: async (args = '') =>
      JSON.stringify((await result(`{ result: exportBundle${args} { documents } }`)).documents, null, 1),
  };
}

export const document = (kind: string, slug: string, spec: object, bundle: string | null = 'platform') => ({
  apiVersion: 'sluice/v1',
  kind,
  metadata: { slug, ...(bundle !== null && { bundle }) },
  spec,
});

/** Values of the secrets of `team`. */
export const teamSecrets = {
  'env:OPENAI_API_KEY': 'sk-value-of-a-bundle-0123456789',
  'env:HEADER': 'header-value-0123456789',
  'env:JUDGE': 'judge-header-of-a-bundle-0123456789',
  'env:VAULT_TOKEN': 'hvs.value-of-a-bundle-0123456789',
};

/** One of each kind, in the order of an apply. */
export const team = [
  document('Workspace', 'ws-search', {
    name: 'Search',
    description: 'Finds things',
    metadata: { team: 'search' },
    usageLimits: [
      { type: 'cost', creditLimit: 500, alertThreshold: 400, periodicReset: 'monthly' },
      { type: 'tokens', creditLimit: 1_000_000, periodicResetDays: 10, enforcement: 'soft' },
    ],
    rateLimits: [{ type: 'requests', unit: 'rps', value: 50 }],
  }),
  document('SecretReference', 'vault', {
    name: 'Our vault',
    managerType: 'hashicorp_vault',
    authConfig: {
      vault_auth_type: 'token',
      vault_addr: 'https://vault.example',
      vault_token: { env: 'VAULT_TOKEN' },
    },
    secretPath: 'teams/search',
    secretKey: 'key',
    workspaces: ['ws-search'],
    tags: { tier: 'one' },
  }),
  document('Integration', 'main', {
    name: 'Main',
    aiProviderId: 'openai',
    key: { env: 'OPENAI_API_KEY' },
    configurations: {
      custom_host: 'https://models.example/v1',
      custom_headers: { 'x-team': { env: 'HEADER' } },
    },
    allowAllModels: false,
    models: [{ slug: 'gpt-4o' }],
    allWorkspaces: false,
    workspaces: ['ws-search'],
  }),
  document('Provider', 'openai', {
    workspace: 'ws-search',
    integration: 'main',
    name: 'OpenAI',
    tags: { tier: 'one' },
    usageLimits: { type: 'requests', creditLimit: 1000, onCrash: 'return' },
    rateLimits: [{ type: 'tokens', unit: 'rpm', value: 90_000, enforcement: 'hard' }],
  }),
  document('Guardrail', 'gr-judge', {
    workspace: 'ws-search',
    name: 'Judge',
    checks: [
      {
        id: 'default.webhook',
        parameters: { webhookURL: 'https://judge.example.com/', headers: { 'x-judge': { env: 'JUDGE' } } },
      },
    ],
    actions: { deny: true, onFail: { feedback: { value: -3 } } },
  }),
  document('Config', 'pc-routes', {
    workspace: 'ws-search',
    name: 'Routes',
    isDefault: true,
    config: {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@openai' }, { provider: 'openai', api_key: { env: 'OPENAI_API_KEY' } }],
    },
  }),
  document('Deployment', 'edge', {
    name: 'Edge',
    type: 'non-production',
    url: 'https://edge.example',
    config: { region: 'eu' },
    allowAllWorkspaces: false,
    workspaces: ['ws-search'],
  }),
  document('Role', 'reader', { name: 'Reader', permissions: ['configs.read', 'configs.list'] }),
  document('ServiceAccount', 'robot', { description: 'Reads configs' }),
  document('AccessPolicy', 'robot-reads', {
    principal: { serviceAccount: 'robot' },
    role: 'reader',
    workspace: 'ws-search',
  }),
  document('ApiKey', 'ci', {
    workspace: 'ws-search',
    name: 'CI of search',
    scopes: ['configs.list', 'completions.write'],
    config: 'pc-routes',
    metadata: { from: 'ci' },
    usageLimits: { type: 'cost', creditLimit: 20, waitMs: 0, onAbort: 'reserve' },
    rateLimits: [{ type: 'requests', unit: 'rpm', value: 60, window: 'calendar' }],
  }),
  document('UsageLimitPolicy', 'budget-of-a-user', {
    workspace: 'ws-search',
    name: 'Budget of a user',
    description: 'Five dollars each',
    conditions: [
      { key: 'workspace_id', value: 'ws-search', excludes: null },
      { key: 'metadata.team', value: ['search', 'find'], excludes: 'trial' },
    ],
    groupBy: ['metadata._user', 'api_key'],
    limit: { type: 'cost', creditLimit: 5, alertThreshold: 4, periodicResetDays: 7, unpriced: 'refuse' },
  }),
  document('RateLimitPolicy', 'calls-of-tools', {
    workspace: 'ws-search',
    conditions: [{ key: 'mcp_server', value: '*', excludes: null }],
    groupBy: ['mcp_tool'],
    target: 'mcp_tools',
    limit: { type: 'requests', unit: 'rph', value: 100 },
  }),
];
