import { setTimeout as sleep } from 'node:timers/promises';

type Headers = Record<string, string>;
type Sluice = { port: number; adminKey: string };

const WORKSPACES = 4;
const CONFIGS = 6;

/** Fills the database through the front door: workspaces, configs in them, and a log of a call for each config. */
export async function seed({ port, adminKey }: Sluice): Promise<{ config: string }> {
  const call = <T>(method: string, path: string, body: object, headers: Headers = {}): Promise<T> =>
    send(port, method, path, { 'x-gateway-api-key': adminKey, ...headers }, body);
  let config = '';
  for (let number = 0; number < WORKSPACES; number++) {
    const workspace = await call<{ id: string }>('POST', '/v1/admin/workspaces', { name: `Bench ${number}` });
    await call('PUT', '/v1/integrations/mock/workspaces', {
      workspaces: [{ id: workspace.id, enabled: true }],
    });
    const { key } = await call<{ key: string }>('POST', '/v1/api-keys/workspace/service', {
      name: 'bench',
      workspace_id: workspace.id,
      scopes: ['completions.write'],
    });
    for (let count = 0; count < CONFIGS; count++) {
      const created = await call<{ data: { id: string } }>('POST', '/v1/configs', {
        name: `Config ${number}-${count}`,
        workspace_id: workspace.id,
        config: { strategy: { mode: 'single' }, targets: [{ provider: '@mock' }], retry: { attempts: 2 } },
      });
      config = created.data.id;
      const body = { model: 'mock-1', messages: [{ role: 'user', content: 'Hello.' }] };
      await call('POST', '/v1/chat/completions', body, {
        'x-gateway-api-key': key,
        'x-gateway-config': config,
      });
    }
  }
  const logs = () =>
    call<{ data: { logs: { total: number } } }>('POST', '/graphql', { query: '{ logs { total } }' });
  while ((await logs()).data.logs.total < WORKSPACES * CONFIGS) await sleep(50);
  return { config };
}

async function send<T>(
  port: number,
  method: string,
  path: string,
  headers: Headers,
  body: object,
): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}
