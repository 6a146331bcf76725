export type Door = { query?: string; method?: string; path?: string; body?: object; subscription?: string };

/** What doors lead to. */
export type Places = { logId: string; workspaceId: string; guardrailId: string };

const times = 'timeOfGenerationMin: "2026-01-01T00:00:00Z", timeOfGenerationMax: "2026-12-31T00:00:00Z"';
const range = 'time_of_generation_min=2026-01-01T00:00:00Z&time_of_generation_max=2026-12-31T00:00:00Z';

type Family = {
  /** The list in the graph, whose singular names one. */
  list: string;
  path: string;
  /** A creation that gets past the schema, and no further than the rights. */
  create: { input: string; body: object };
  /** What there is to read and change; a resource that is not there has the same doors. */
  id?: string;
};

/** The doors of a resource with the usual operations, by verb. */
function doorsOf(family: string, { list, path, create, id = 'nope' }: Family): Record<string, Door> {
  const one = list.slice(0, -1);
  const name = one[0]?.toUpperCase() + one.slice(1);
  const place = `${path}/${id}`;
  return {
    [`${family}.list`]: { query: `{ ${list} { total } }`, path },
    [`${family}.read`]: { query: `{ ${one}(id: "${id}") { id } }`, path: place },
    [`${family}.create`]: {
      query: `mutation { create${name}(input: ${create.input}) { id } }`,
      method: 'POST',
      path,
      body: create.body,
    },
    [`${family}.update`]: {
      query: `mutation { update${name}(id: "${id}", input: { name: "x" }) { id } }`,
      method: 'PUT',
      path: place,
      body: { name: 'x' },
    },
    [`${family}.delete`]: {
      query: `mutation { delete${name}(id: "nope") }`,
      method: 'DELETE',
      path: `${path}/nope`,
    },
  };
}

/** The doors of keys of one type; all but the creation lead to keys of any type. */
function doorsOfKeys(type: 'service' | 'user', workspaceId: string): Record<string, Door> {
  const family = `workspace_${type}_api_keys`;
  const name = `Workspace${type === 'user' ? 'User' : 'Service'}ApiKey`;
  return {
    [`${family}.list`]: { query: '{ apiKeys { total } }', path: '/v1/api-keys' },
    [`${family}.read`]: { query: '{ apiKey(id: "nope") { id } }', path: '/v1/api-keys/nope' },
    [`${family}.create`]: {
      query: `mutation { create${name}(input: { name: "x", scopes: [], workspaceId: "${workspaceId}" }) { id } }`,
      method: 'POST',
      path: `/v1/api-keys/workspace/${type}`,
      body: { name: 'x', scopes: [], workspace_id: workspaceId },
    },
    [`${family}.update`]: {
      query: 'mutation { updateApiKey(id: "nope", input: { name: "x" }) { id } }',
      method: 'PUT',
      path: '/v1/api-keys/nope',
      body: { name: 'x' },
    },
    [`${family}.delete`]: {
      query: 'mutation { deleteApiKey(id: "nope") }',
      method: 'DELETE',
      path: '/v1/api-keys/nope',
    },
    [`${family}.rotate`]: {
      query: 'mutation { rotateApiKey(id: "nope") { id } }',
      method: 'POST',
      path: '/v1/api-keys/nope/rotate',
    },
  };
}

/** Where each scope that a switch changes is asked for: in the graph, over REST, and by a subscription. */
export function doors({ logId, workspaceId, guardrailId }: Places): Record<string, Door> {
  const aLog = { query: `{ log(id: "${logId}") { id } }`, path: `/v1/logs/${logId}` };
  const checks = [{ id: 'nothing' }];
  const guardrails = doorsOf('guardrails', {
    list: 'guardrails',
    path: '/v1/guardrails',
    create: { input: '{ name: "x", checks: [{ id: "nothing" }] }', body: { name: 'x', checks } },
    id: guardrailId,
  });
  return {
    'logs.list': {
      query: '{ logs { total } }',
      path: '/v1/logs',
      subscription: 'subscription { logAdded { id } }',
    },
    // Either of two scopes opens a log, and one switch takes both.
    'logs.view': aLog,
    'logs.read': aLog,
    'logs.export': { query: '{ logExports { total } }', path: '/v1/logs/exports' },
    'analytics.view': {
      query: `{ analytics(${times}) { requests { summary { total } } } }`,
      path: `/v1/analytics/graphs/requests?workspace_slug=${workspaceId}&${range}`,
    },
    ...doorsOf('providers', {
      list: 'providers',
      path: '/v1/providers',
      create: { input: '{ name: "x", integrationId: "nope" }', body: { name: 'x', integration_id: 'nope' } },
    }),
    ...doorsOf('virtual_keys', {
      list: 'virtualKeys',
      path: '/v1/virtual-keys',
      create: { input: '{ name: "x", provider: "nope" }', body: { name: 'x', provider: 'nope' } },
    }),
    ...guardrails,
    // An unknown guardrail is 403 over REST.
    'guardrails.delete': { query: guardrails['guardrails.delete']?.query },
    ...doorsOf('workspace_integrations', {
      list: 'integrations',
      path: '/v1/integrations',
      create: { input: '{ name: "x", aiProviderId: "nope" }', body: { name: 'x', ai_provider_id: 'nope' } },
    }),
    ...doorsOf('workspace_mcp_integrations', {
      list: 'mcpIntegrations',
      path: '/v1/mcp-integrations',
      create: {
        input: '{ name: "x", url: "https://x.example", authType: none, transport: http, configurations: 7 }',
        body: {
          ...{ name: 'x', url: 'https://x.example', auth_type: 'none', transport: 'http' },
          configurations: 7,
        },
      },
    }),
    ...doorsOf('mcp_servers', {
      list: 'mcpServers',
      path: '/v1/mcp-servers',
      create: {
        input: '{ name: "x", mcpIntegrationId: "nope" }',
        body: { name: 'x', mcp_integration_id: 'nope' },
      },
    }),
    'configs.create': {
      query: 'mutation { createConfig(input: { name: "x", config: {} }) { id } }',
      method: 'POST',
      path: '/v1/configs',
      body: { name: 'x', config: {} },
    },
    ...doorsOfKeys('service', workspaceId),
    ...doorsOfKeys('user', workspaceId),
    'completions.write': { method: 'POST', path: '/v1/chat/completions', body: { model: 'x' } },
  };
}
