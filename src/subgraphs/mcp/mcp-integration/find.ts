import type { Principal } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { idOrSlug } from '../../catalog/values.ts';
import type { GraphContext } from '../../context.ts';
import {
  type McpIntegrationVerb,
  requireAnyMcpLevel,
  requireMcpLevel,
  visibleMcpIntegrations,
} from './access.ts';
import { type McpIntegrationDocument, mcpIntegrationModel } from './model.ts';

export const mcpIntegrationNotFound = () =>
  new GatewayError('NOT_FOUND', { message: 'The MCP integration does not exist.' });

/** An integration that the caller may act on with this verb, which depends on the integration's level. */
export async function requireMcpIntegration(
  context: GraphContext,
  id: string,
  verb: McpIntegrationVerb,
): Promise<{ integration: McpIntegrationDocument; principal: Principal }> {
  const principal = requireAnyMcpLevel(context.principal, verb);
  const integration = await mcpIntegrationModel(context.db)
    .findOne({ $and: [idOrSlug(id), visibleMcpIntegrations(principal)] })
    .lean<McpIntegrationDocument>();
  if (!integration) throw mcpIntegrationNotFound();
  requireMcpLevel(principal, integration.workspaceId, verb);
  return { integration, principal };
}

/** The active integration of an organisation that an id or slug names; null for none. */
export const namedMcpIntegration = (
  { db }: Pick<GraphContext, 'db'>,
  organisationId: string,
  id: string,
): Promise<McpIntegrationDocument | null> =>
  mcpIntegrationModel(db)
    .findOne({ $and: [idOrSlug(id), { organisationId, status: 'active' }] })
    .lean<McpIntegrationDocument>()
    .exec();

/** Whether MCP servers of a workspace may use an integration. */
export function isGrantedTo(
  { workspaceId: owner, workspaces, globalWorkspaceAccess }: McpIntegrationDocument,
  workspaceId: string,
): boolean {
  if (owner !== null) return owner === workspaceId;
  const own = workspaces.find((entry) => entry.workspaceId === workspaceId);
  return own?.enabled ?? globalWorkspaceAccess.enabled;
}
