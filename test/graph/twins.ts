import { expect } from '@jest/globals';
import { type DocumentNode, Kind, print, visit } from 'graphql';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { type LocalRemote, serveRemote, subgraphHandler } from '../support/local-remote.ts';

export type Seeded = Tenant & { ids: Record<string, string> };
export type Executor = 'fused' | 'stitched';
export type Answer = {
  status: number;
  data: any;
  errors: { message: string; path?: unknown[] | undefined; extensions: any }[];
};

/**
 * A running app with two tenants that were seeded alike. Every document can run twice: as it is, which the fused executor
 * answers, and with one more root field that a remote subgraph answers, which sends the whole operation through stitching.
 */
export type Twins = Record<Executor, Seeded> & {
  app: TestApp;
  run(by: Executor, document: DocumentNode, variables: object, key: string): Promise<Answer>;
  /** Both executors answer the first tenant the same; this is what. */
  expectSame(document: DocumentNode, variables: object, key: string): Promise<Answer>;
  /** A key of the first tenant's workspace that may do just this. */
  keyFor(scopes: string[]): Promise<string>;
  stop(): Promise<void>;
};

export async function startTwins(): Promise<Twins> {
  const ping = { remotePing: () => true };
  const sdl = 'type Query { remotePing: Boolean } type Mutation { remotePing: Boolean }';
  const remote: LocalRemote = await serveRemote(subgraphHandler(sdl, { Query: ping, Mutation: ping }));
  const app = await startApp({
    // Random queries shall be answered rather than refused.
    GRAPHQL_MAX_COST: '100000000',
    REMOTE_SUBGRAPHS: JSON.stringify([{ name: 'ping', url: remote.url, timeout_ms: 20_000 }]),
  });
  const twins = { fused: await seed(app, app), stitched: await seed(app, await app.createTenant()) };
  await app.logged();
  for (const twin of [twins.fused, twins.stitched]) {
    const { body } = await app.rest('GET', '/v1/logs', { key: twin.workspaceKey });
    twin.ids.log = (body as { data: { id: string }[] }).data[0]?.id ?? '';
  }
  const run: Twins['run'] = async (by, document, variables, key) => {
    const text = print(by === 'stitched' ? pinged(document) : document);
    const { status, data, errors = [] } = await app.graphql(text, variables, key);
    if (by === 'stitched' && data) {
      expect(data.remotePing).toBe(true);
      delete data.remotePing;
    }
    const shown = errors.map(({ message, path, extensions }) => ({
      // The one more root field costs something too.
      message: message.replace(/^(The operation (?:costs|has) )\d+/, '$1…'),
      path,
      extensions,
    }));
    return {
      status,
      data: atOneTime(data),
      errors: shown.toSorted((a, b) => String(a.path).localeCompare(String(b.path))),
    };
  };
  const keys = new Map<string, string>();
  return {
    ...twins,
    app,
    run,
    async expectSame(document, variables, key) {
      const fused = await run('fused', document, variables, key);
      const stitched = await run('stitched', document, variables, key);
      const asked = { document: print(document), variables };
      expect({ ...asked, ...stitched }).toEqual({ ...asked, ...fused });
      return fused;
    },
    async keyFor(scopes) {
      const name = scopes.join();
      const key = keys.get(name) ?? (await makeKey(app, scopes));
      keys.set(name, key);
      return key;
    },
    async stop() {
      await app.stop();
      await remote.stop();
    },
  };
}

async function makeKey({ rest, adminKey, workspaceId }: TestApp, scopes: string[]): Promise<string> {
  const { body } = await rest('POST', '/v1/api-keys/workspace/service', {
    key: adminKey,
    body: { name: 'Limited', workspace_id: workspaceId, scopes },
  });
  return (body as { key: string }).key;
}

/** Two configs with versions, an integration, a key, and two logs, one of them of a failure. */
async function seed(app: TestApp, tenant: Tenant): Promise<Seeded> {
  const { workspaceId, workspaceKey, adminKey } = tenant;
  const send = async (method: string, path: string, body: object, key = workspaceKey) => {
    const answer = await app.rest(method, path, { key, body });
    return answer.body as { id: string; data: { id: string } };
  };
  const config = { strategy: { mode: 'single' }, targets: [{ provider: '@mock' }] };
  const { data: one } = await send('POST', '/v1/configs', { name: 'One', config, is_default: 1 });
  await send('PUT', `/v1/configs/${one.id}`, {
    name: 'Uno',
    config: { ...config, retry: { attempts: 1 } },
  });
  await send('POST', '/v1/configs', { name: 'Two', config });
  await send(
    'POST',
    '/v1/integrations',
    { name: 'Main', slug: 'main', ai_provider_id: 'openai', key: 'sk-0123' },
    adminKey,
  );
  const { id: apiKey } = await send(
    'POST',
    '/v1/api-keys/workspace/service',
    { name: 'Key', workspace_id: workspaceId, scopes: ['configs.list'] },
    adminKey,
  );
  for (const model of ['mock-1', 'mock-error-429']) {
    await app.rest('POST', '/v1/chat/completions', {
      key: workspaceKey,
      body: { model, messages: [{ role: 'user', content: 'Hello' }] },
      headers: { 'x-gateway-config': one.id },
    });
  }
  return {
    ...tenant,
    ids: {
      workspace: workspaceId,
      config: one.id,
      integration: 'main',
      provider: 'mock',
      'api-key': apiKey,
    },
  };
}

const pinged = (document: DocumentNode): DocumentNode =>
  visit(document, {
    OperationDefinition: (node) => ({
      ...node,
      selectionSet: {
        ...node.selectionSet,
        selections: [
          { kind: Kind.FIELD as const, name: { kind: Kind.NAME as const, value: 'remotePing' } },
          ...node.selectionSet.selections,
        ],
      },
    }),
  });

/** A credential is used by each question, so that this time is another one in each answer. */
const atOneTime = <T>(data: T): T =>
  data === undefined
    ? data
    : JSON.parse(JSON.stringify(data), (name, value) =>
        name.startsWith('lastUsedAt') && value !== null ? 'some time' : value,
      );
