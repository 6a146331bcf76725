import { ownUser, type Principal } from '../../auth/index.ts';
import type { McpServerRecord } from './records.ts';

/** Whether a caller may use an MCP server: `forbidden` is told within the own organisation alone. */
export type McpAccess = 'allowed' | 'forbidden' | 'not_found';

/** Whether the holder of a credential, whose scope is another question, may use an MCP server now. */
export function mcpAccess(server: McpServerRecord, principal: Principal): McpAccess {
  if (server.organisationId !== principal.organisationId) return 'not_found';
  if (principal.workspaceId !== null && principal.workspaceId !== server.workspaceId) return 'forbidden';
  if (!server.isGranted) return 'forbidden';
  // Of a key or a token that stands for no user, the default decides.
  const [userId] = ownUser(principal);
  const own = userId === undefined ? undefined : server.users.get(userId);
  return (own ?? server.defaultUserAccess === 'allow') ? 'allowed' : 'forbidden';
}
