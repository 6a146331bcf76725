import type { Ask } from './graph.ts';

export const workspaces = [
  { slug: 'search', name: 'Search', description: 'Ranking, summaries and query understanding.' },
  { slug: 'support', name: 'Support', description: 'The assistant on the help pages.' },
  { slug: 'research', name: 'Research', description: 'Evaluations and batch work.' },
];

/** Connections with keys that open nothing: what the demo shows of them was written, not called. */
export const integrations = [
  { slug: 'main', name: 'OpenAI, main account', aiProviderId: 'openai' },
  { slug: 'claude', name: 'Anthropic', aiProviderId: 'anthropic' },
  { slug: 'gemini', name: 'Gemini', aiProviderId: 'google' },
  { slug: 'mistral', name: 'Mistral', aiProviderId: 'mistral-ai' },
];

const target = (provider: string, model: string) => ({
  provider: `@${provider}`,
  override_params: { model },
});

export const configs = [
  {
    slug: 'pc-search-main',
    name: 'Search, with a safety net',
    workspaceId: 'search',
    config: {
      strategy: { mode: 'fallback', on_status_codes: [429, 503] },
      targets: [target('main', 'gpt-4o'), target('claude', 'claude-sonnet-4')],
    },
  },
  {
    slug: 'pc-search-cheap',
    name: 'Search, cheap answers',
    workspaceId: 'search',
    config: { cache: { mode: 'simple', max_age: 3600 }, ...target('main', 'gpt-4o-mini') },
  },
  {
    slug: 'pc-support-split',
    name: 'Support, split by weight',
    workspaceId: 'support',
    config: {
      strategy: { mode: 'loadbalance' },
      targets: [
        { ...target('main', 'gpt-4o'), weight: 0.7 },
        { ...target('gemini', 'gemini-2.5-flash'), weight: 0.3 },
      ],
    },
  },
  {
    slug: 'pc-support-by-plan',
    name: 'Support, by the plan of the customer',
    workspaceId: 'support',
    config: {
      strategy: {
        mode: 'conditional',
        // biome-ignore lint/suspicious/noThenProperty: a config names the target of a condition so.
        conditions: [{ query: { 'metadata.plan': { $eq: 'enterprise' } }, then: 'best' }],
        default: 'usual',
      },
      targets: [
        { name: 'best', ...target('claude', 'claude-sonnet-4') },
        { name: 'usual', ...target('main', 'gpt-4o-mini') },
      ],
    },
  },
  {
    slug: 'pc-research-retry',
    name: 'Research, patient',
    workspaceId: 'research',
    config: {
      retry: { attempts: 5 },
      request_timeout: 120_000,
      ...target('mistral', 'mistral-large'),
    },
  },
  {
    slug: 'pc-research-mock',
    name: 'Research, without a network',
    workspaceId: 'research',
    config: {
      strategy: { mode: 'fallback' },
      targets: [target('mock', 'mock-error-503'), target('mock', 'mock-1')],
    },
  },
];

type Slugs = { data: { slug: string }[] };
const slugsOf = ({ data }: Slugs): Set<string> => new Set(data.map(({ slug }) => slug));

/** Makes workspaces, connections and configs that are not there yet. */
export async function seedCatalogue(ask: Ask): Promise<void> {
  const present = await ask<{ workspaces: Slugs; integrations: Slugs }>(
    '{ workspaces(pageSize: 100) { data { slug } } integrations { data { slug } } }',
  );
  const [ownWorkspaces, ownIntegrations] = [slugsOf(present.workspaces), slugsOf(present.integrations)];
  for (const input of workspaces.filter(({ slug }) => !ownWorkspaces.has(slug)))
    await ask('mutation ($input: CreateWorkspaceInput!) { createWorkspace(input: $input) { id } }', {
      input,
    });
  for (const one of integrations.filter(({ slug }) => !ownIntegrations.has(slug))) {
    const input = {
      ...one,
      key: `sk-demo-${one.slug}-opens-nothing`,
      description: 'Made by `npm run demo`.',
    };
    await ask('mutation ($input: CreateIntegrationInput!) { createIntegration(input: $input) { id } }', {
      input,
    });
  }
  const isShared = workspaces.every(({ slug }) => ownWorkspaces.has(slug));
  for (const { slug } of isShared ? [] : [...integrations, { slug: 'mock' }])
    await ask(share, { id: slug, input: { workspaces: workspaces.map(enabled) } });
  for (const workspaceId of workspaces.map(({ slug }) => slug)) {
    const found = await ask<{ configs: Slugs }>(
      'query ($id: ID) { configs(workspaceId: $id) { data { slug } } }',
      { id: workspaceId },
    );
    const own = slugsOf(found.configs);
    for (const input of configs.filter((one) => one.workspaceId === workspaceId && !own.has(one.slug)))
      await ask('mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id } }', { input });
  }
}

/** Each of the workspaces gets a provider under the integration's slug. */
const share = `mutation ($id: ID!, $input: UpdateIntegrationWorkspacesInput!) {
  updateIntegrationWorkspaces(id: $id, input: $input) { id }
}`;
const enabled = ({ slug }: { slug: string }) => ({ id: slug, enabled: true });
