import { type Principal, requireScope, type Scope } from '../../../auth/index.ts';
import { usableIn } from '../../catalog/integration/index.ts';

export type McpIntegrationVerb = 'create' | 'delete' | 'list' | 'read' | 'update';

/** The scope that an operation needs at the level of the integration. */
export const mcpLevelScope = (workspaceId: string | null, verb: McpIntegrationVerb): Scope =>
  `${workspaceId === null ? 'organisation' : 'workspace'}_mcp_integrations.${verb}`;

export const requireAnyMcpLevel = (principal: Principal | null, verb: McpIntegrationVerb): Principal =>
  requireScope(principal, [mcpLevelScope(null, verb), mcpLevelScope('any', verb)]);

export const requireMcpLevel = (
  principal: Principal | null,
  workspaceId: string | null,
  verb: McpIntegrationVerb,
): Principal => requireScope(principal, [mcpLevelScope(workspaceId, verb)]);

/** An organisation credential sees all of the organisation's; a workspace's own, and those that are shared with it. */
export const visibleMcpIntegrations = ({ organisationId, workspaceId }: Principal) => ({
  organisationId,
  ...(workspaceId && usableIn(workspaceId)),
});
