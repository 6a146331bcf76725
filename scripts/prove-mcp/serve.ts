import { setTimeout as wait } from 'node:timers/promises';

const LATE_MS = 30_000;
const LOOK_MS = 200;

/** Keys and ids that the first start of an installation writes down. */
export type Seeds = { admin_api_key: string; workspace_api_key: string; workspace_id: string };

/** Makes an MCP server of a gateway on one that listens at `url`, and waits until it was read. */
export async function serveThrough(gateway: string, seeds: Seeds, slug: string, url: string): Promise<void> {
  const rest = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${gateway}/v1/${path}`, {
      method,
      headers: { 'x-gateway-api-key': seeds.admin_api_key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  await rest('POST', 'mcp-integrations', { name: slug, slug, url, auth_type: 'none', transport: 'http' });
  const { workspace_id } = seeds;
  await rest('POST', 'mcp-servers', { name: slug, slug, mcp_integration_id: slug, workspace_id });
  const isRead = await until(async () => {
    const { sync_status: status } = await rest('GET', `mcp-integrations/${slug}/metadata`);
    return status === 'success';
  });
  if (!isRead) throw new Error(`${slug} was not read.`);
}

/** Waits for something to be so; false where it is late. */
export async function until(isSo: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + LATE_MS; performance.now() < end; await wait(LOOK_MS))
    if (await isSo()) return true;
  return false;
}
