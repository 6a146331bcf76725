import { setTimeout as sleep } from 'node:timers/promises';

export type Answer = {
  // biome-ignore lint/suspicious/noExplicitAny: each query has its own shape
  data?: any;
  errors?: { message: string; path?: unknown[]; extensions?: { code?: string } }[];
};

export type Question = {
  what: string;
  query: string;
  key: string | null;
  /** Equal answers prove nothing when both are empty. */
  expected: (answer: Answer) => boolean;
};

type Bootstrap = { admin_api_key: string; workspace_api_key: string };

/** Asks a GraphQL endpoint. */
export async function ask(
  url: string,
  query: string,
  key: string | null,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'x-gateway-api-key': key }), ...headers },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as Answer;
}

const threeSubgraphs = `{
  logs(pageSize: 5) {
    total
    data {
      id responseStatusCode metadata
      config { name config isDefault workspace { name slug isDefault } }
      provider { slug integration { name aiProviderId modelCount workspaceCount } }
      apiKey { name type workspace { name } }
    }
  }
}`;

/** A log that names a config, a provider and a key, and what is asked about them. */
export async function createWorld(url: string, keys: Bootstrap): Promise<{ questions: Question[] }> {
  const { admin_api_key: admin, workspace_api_key: workspace } = keys;
  const { data } = await post(`${url}/v1/configs`, workspace, {
    name: 'Routed',
    config: { provider: '@mock', override_params: { model: 'mock-1' } },
  });
  const messages = [{ role: 'user', content: 'Hello' }];
  await post(`${url}/v1/chat/completions`, workspace, { messages }, { 'x-gateway-config': data.id });
  await untilLogged(url, admin);
  const limited = await post(`${url}/v1/api-keys/organisation/service`, admin, {
    name: 'Sees no configs',
    scopes: ['logs.list', 'logs.view', 'providers.read', 'workspaces.read'],
  });
  return {
    questions: [
      {
        what: 'a log with its config, workspace, provider, integration and key',
        query: threeSubgraphs,
        key: admin,
        expected: ({ data, errors }) => {
          const [log] = data.logs.data;
          return (
            !errors && Boolean(log.config.workspace.name && log.provider.integration.name && log.apiKey.name)
          );
        },
      },
      {
        what: 'a mutation',
        query: 'mutation { createWorkspace(input: { name: "Made" }) { name organisation { id } } }',
        key: admin,
        expected: ({ data }) => data.createWorkspace.name === 'Made',
      },
      {
        what: 'a mutation that is refused',
        query: 'mutation { createWorkspace(input: { name: "Not made" }) { name } }',
        key: workspace,
        expected: ({ errors }) => errors?.[0]?.extensions?.code === 'FORBIDDEN',
      },
      {
        what: 'a key that lacks a scope',
        query: '{ logs { total data { id config { name } provider { slug } } } }',
        key: limited.key,
        expected: ({ data, errors }) =>
          errors?.[0]?.extensions?.code === 'FORBIDDEN' && data.logs.data[0].config === null,
      },
      {
        what: 'no credential',
        query: '{ workspaces { total } }',
        key: null,
        expected: ({ errors }) => errors?.[0]?.extensions?.code === 'UNAUTHENTICATED',
      },
      {
        what: 'what is not there',
        query: '{ config(id: "nothing") { name workspace { name } } }',
        key: admin,
        expected: ({ errors }) => errors?.[0]?.extensions?.code === 'NOT_FOUND',
      },
    ],
  };
}

async function post(url: string, key: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-api-key': key, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function untilLogged(url: string, key: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const { data } = await ask(`${url}/graphql`, '{ logs { total } }', key);
    if (data?.logs.total > 0) return;
    await sleep(100);
  }
  throw new Error('The request did not appear in the log.');
}
