import type { GraphContext } from '../../context.ts';
import type { McpIntegrationDetails } from '../../types.generated.ts';
import {
  integrationOfServer,
  type McpIntegrationDocument,
  mcpLevelScope,
  shownSettings,
} from '../mcp-integration/index.ts';
import type { McpServerDocument } from './model.ts';

/** What an MCP server shows of its integration; the settings only to whoever may read the integration itself. */
export async function integrationDetails(
  context: GraphContext,
  { mcpIntegrationId }: McpServerDocument,
): Promise<McpIntegrationDetails | null> {
  const integration = await integrationOfServer(context).load(mcpIntegrationId);
  if (!integration) return null;
  const { _id: id, slug, status, url, transport, authType } = integration;
  const configurations = mayRead(context, integration) ? shownSettings(context.secrets, integration) : null;
  return { id, slug, status, configurations, url, transport, authType };
}

/** The integration itself; null for one that the credential may not read. */
export async function readableIntegration(
  context: GraphContext,
  { mcpIntegrationId }: McpServerDocument,
): Promise<McpIntegrationDocument | null> {
  const integration = await integrationOfServer(context).load(mcpIntegrationId);
  return integration && mayRead(context, integration) ? integration : null;
}

const mayRead = ({ principal }: GraphContext, { workspaceId }: McpIntegrationDocument): boolean =>
  principal?.scopes.has(mcpLevelScope(workspaceId, 'read')) ?? false;
