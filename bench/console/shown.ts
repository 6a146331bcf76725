import type { Db } from 'mongodb';
import type { RunningSluice } from '../processes.ts';
import type { Shown } from './pages.ts';

/** Logs between the newest one and the one of the 500th page. */
const FAR_DOWN = 50_000;

const check = { id: 'default.contains', parameters: { words: ['forbidden'], operator: 'none' } };

type List<T> = { data: T[] };

function firstOf<T>({ data: [first] }: List<T>): T {
  if (first === undefined) throw new Error('A list of a new installation is empty.');
  return first;
}

/** Makes one of each of what the pages show that a new installation lacks, and finds the others. */
export async function prepareShown(sluice: RunningSluice, db: Db, organisationId: string): Promise<Shown> {
  const ask = graphOf(sluice.port, sluice.adminKey);
  const { workspaces } = await ask<{ workspaces: List<{ id: string; slug: string }> }>(
    '{ workspaces { data { id slug } } }',
  );
  const workspace = firstOf(workspaces);
  const workspaceId = workspace.id;
  const made = await ask<Record<'config' | 'limit' | 'guardrail' | 'logExport', { id: string }>>(
    `mutation (
      $config: CreateConfigInput!
      $limit: CreateUsageLimitPolicyInput!
      $guardrail: CreateGuardrailInput!
      $logExport: CreateLogExportInput!
    ) {
      config: createConfig(input: $config) { id }
      limit: createUsageLimitPolicy(input: $limit) { id }
      guardrail: createGuardrail(input: $guardrail) { id }
      logExport: createLogExport(input: $logExport) { id }
    }`,
    {
      config: { name: 'Shown', workspaceId, config: { provider: '@mock', retry: { attempts: 2 } } },
      limit: {
        name: 'Shown',
        workspaceId,
        conditions: [{ key: 'workspace_id', value: workspace.slug }],
        groupBy: [{ key: 'api_key' }],
        type: 'cost',
        creditLimit: 500,
      },
      guardrail: { name: 'Shown', workspaceId, checks: [check] },
      logExport: { workspaceId, filters: { statusCode: '400', pageSize: 100 }, requestedData: ['id'] },
    },
  );
  const found = await ask<Record<'integrations' | 'apiKeys', List<{ id: string }>>>(
    '{ integrations { data { id } } apiKeys(type: "workspace-service") { data { id } } }',
  );
  const logs = db.collection<{ _id: string; organisationId: string; traceId: string; createdAt: Date }>(
    'logs',
  );
  const order = { sort: { createdAt: -1, _id: -1 }, skip: FAR_DOWN, limit: 1 } as const;
  const old = await logs.find({ organisationId }, order).next();
  if (!old) throw new Error(`These are too few logs: more than ${FAR_DOWN} are needed.`);
  return {
    log: old._id,
    traceId: old.traceId,
    workspace,
    apiKey: firstOf(found.apiKeys).id,
    config: made.config.id,
    integration: firstOf(found.integrations).id,
    limit: made.limit.id,
    guardrail: made.guardrail.id,
    logExport: made.logExport.id,
    ...(await makeWorking(sluice)),
  };
}

/** An assistant with a thread on which it has said something, an MCP server, and a vector store with a file. */
async function makeWorking({ port, workspaceKey }: RunningSluice) {
  const post = async (path: string, given: object): Promise<{ id: string; thread_id: string }> => {
    const isForm = given instanceof FormData;
    const response = await fetch(`http://127.0.0.1:${port}/v1/${path}`, {
      method: 'POST',
      headers: {
        'x-gateway-api-key': workspaceKey,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? given : JSON.stringify(given),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { id: string; thread_id: string };
  };
  const assistant = await post('assistants', { model: '@mock/mock-1', name: 'Shown' });
  const thread = { messages: [{ role: 'user', content: 'Hello' }] };
  const run = await post('threads/runs', { assistant_id: assistant.id, thread });
  const integration = {
    name: 'Shown',
    slug: 'shown',
    url: 'mock://server',
    auth_type: 'none',
    transport: 'http',
  };
  await post('mcp-integrations', integration);
  const server = await post('mcp-servers', { name: 'Shown', slug: 'shown', mcp_integration_id: 'shown' });
  const form = new FormData();
  form.set('purpose', 'assistants');
  form.set('file', new Blob(['Herons nest high in old trees.']), 'herons.md');
  const file = (await post('files', form)).id;
  const vectorStore = (await post('vector_stores', { name: 'Shown', file_ids: [file] })).id;
  return { assistant: assistant.id, thread: run.thread_id, mcpServer: server.id, file, vectorStore };
}

type Answer<T> = { data?: T; errors?: { message: string }[] };

/** Asks the graph with a key; throws what it says where it has errors. */
export const graphOf =
  (port: number, key: string) =>
  async <T>(query: string, variables: object = {}): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as Answer<T>;
    if (errors || !data) throw new Error((errors ?? []).map(({ message }) => message).join(' '));
    return data;
  };
