import { expect } from '@jest/globals';
import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { bodyOf } from '../rest-compat/support.ts';
import type { Tenant, TestApp } from './app.ts';
import { eventually } from './eventually.ts';

type Json = Record<string, any>;

/** What a client is told at its making. */
export type ClientOptions = { key?: string; capabilities?: Json; headers?: Record<string, string> };

const requestInit = (app: TestApp, { key, headers }: ClientOptions) => ({
  headers: { 'x-gateway-api-key': key ?? app.workspaceKey, ...headers },
});

/** A client of the SDK's first line, connected. */
export async function connectLegacy(app: TestApp, slug: string, options: ClientOptions = {}) {
  const client = new LegacyClient(
    { name: 'legacy-test', version: '1.0.0' },
    { capabilities: options.capabilities ?? {} },
  );
  const transport = new LegacyTransport(new URL(`${app.url}/${slug}/mcp`), {
    requestInit: requestInit(app, options),
  });
  await client.connect(transport as never);
  return { client, transport, close: () => client.close() };
}

/** How a client of the second line chooses its era. */
export type Negotiation = 'default' | 'auto' | 'modern';

/** A client of the SDK's second line, connected. */
export async function connectModern(
  app: TestApp,
  slug: string,
  negotiation: Negotiation,
  options: ClientOptions = {},
) {
  const client = new ModernClient({ name: 'modern-test', version: '1.0.0' }, {
    capabilities: options.capabilities ?? {},
    ...(negotiation === 'auto' && { versionNegotiation: { mode: 'auto' } }),
    ...(negotiation === 'modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  } as never);
  const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/${slug}/mcp`), {
    requestInit: requestInit(app, options),
  });
  await client.connect(transport);
  return { client, transport, close: () => client.close() };
}

/** Makes an MCP server on an upstream, and waits until it was read; answers what REST says of both. */
export async function serveMcp(
  app: TestApp,
  slug: string,
  given: { url: string; configurations?: Json; transport?: string; tenant?: Tenant } & Json,
) {
  const { tenant = app, ...integration } = given;
  const key = tenant.adminKey;
  const call = async (method: string, path: string, body?: unknown) =>
    bodyOf(await app.rest(method, `/v1/${path}`, { key, body }));
  const { id: integrationId } = await call('POST', 'mcp-integrations', {
    ...{ name: slug, slug, auth_type: 'none', transport: 'http' },
    ...integration,
  });
  const { id } = await call('POST', 'mcp-servers', {
    ...{ name: slug, slug, mcp_integration_id: slug, workspace_id: tenant.workspaceId },
  });
  await eventually(async () => {
    const found = await call('GET', `mcp-integrations/${slug}/metadata`);
    expect(found).toMatchObject({ sync_status: 'success' });
  });
  return { id: id as string, integrationId: integrationId as string, call };
}
