import { requireScope, type Scope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { idOrSlug } from '../../catalog/values.ts';
import type { GraphContext } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { type McpServerDocument, mcpServerModel } from './model.ts';

export const mcpServerNotFound = () =>
  new GatewayError('NOT_FOUND', { message: 'The MCP server does not exist.' });

/** An MCP server that the caller reaches, by id or slug. */
export async function requireMcpServer(
  context: GraphContext,
  id: string,
  scope: Scope,
): Promise<McpServerDocument> {
  const principal = requireScope(context.principal, [scope]);
  const found = await mcpServerModel(context.db)
    .findOne({ $and: [idOrSlug(id), tenantFilter(principal)] })
    .lean<McpServerDocument>();
  if (!found) throw mcpServerNotFound();
  return found;
}

const mcpServerById = loaderById(mcpServerModel, tenantFilter);

/** For references from other resources: null when it is gone or out of the credential's reach. */
export async function referencedMcpServer(
  context: GraphContext,
  id: string,
): Promise<McpServerDocument | null> {
  requireScope(context.principal, ['mcp_servers.read']);
  return mcpServerById(context).load(id);
}
