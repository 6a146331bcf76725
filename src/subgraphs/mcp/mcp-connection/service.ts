import { requireScope, type Scope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { type McpConnectionDocument, mcpConnectionModel } from '../../../mcp/connections/index.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { newestFirst } from '../../order.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type {
  MutationRevokeMcpServerConnectionArgs,
  QueryMcpServerConnectionsArgs,
} from '../../types.generated.ts';
import { type McpServerDocument, requireMcpServer } from '../mcp-server/index.ts';
import { boundUser } from './own-user.ts';

type ListArguments = QueryMcpServerConnectionsArgs & PageArguments;
type Asked = Pick<QueryMcpServerConnectionsArgs, 'id' | 'userId' | 'workspaceId'>;

const notFound = () =>
  new GatewayError('NOT_FOUND', { message: 'The user has no connection to this MCP server.' });

/** The MCP server that is asked about, and the user to whom the credential is bound there; null for none. */
async function placeOf(context: GraphContext, { id, workspaceId }: Asked, scope: Scope) {
  const principal = requireScope(context.principal, [scope]);
  const server = await requireMcpServer(context, id, scope);
  if (workspaceId && (await workspaceIdFor(context, workspaceId)) !== server.workspaceId)
    throw invalidInput('workspaceId', 'workspace_id names another workspace than that of the MCP server.');
  return { server, principal, bound: await boundUser(context, principal, server.workspaceId) };
}

const ofServer = ({ organisationId, mcpIntegrationId }: McpServerDocument) => ({
  organisationId,
  mcpIntegrationId,
});

export async function listMcpServerConnections(context: GraphContext, args: ListArguments) {
  const { server, bound } = await placeOf(context, args, 'mcp_servers.read');
  const isElsewhere = bound !== null && args.userId != null && args.userId !== bound;
  const userId = bound ?? args.userId;
  const filter = { ...ofServer(server), ...(userId != null && { userId }), ...(isElsewhere && { _id: '' }) };
  const page = await findPage(mcpConnectionModel(context.db), filter, args, newestFirst);
  return { ...page, hasMore: (args.currentPage + 1) * args.pageSize < page.total };
}

/** Takes the tokens of a user back where their issuer offers that, and forgets them in any case. */
export async function revokeMcpServerConnection(
  context: GraphContext,
  args: MutationRevokeMcpServerConnectionArgs,
) {
  const { server, principal, bound } = await placeOf(context, args, 'mcp_servers.update');
  const own = principal.kind === 'workspace-user' || principal.kind === 'user' ? principal.userId : null;
  const userId = args.userId ?? own;
  if (userId === null)
    throw invalidInput('userId', 'user_id is required with a credential that stands for no user.');
  if (bound !== null && userId !== bound) throw notFound();
  const filter = { ...ofServer(server), userId };
  if (!(await context.mcp.connections.revoke(filter)))
    context.log.warn({ mcpServer: server._id }, 'An issuer has not taken tokens back; they are forgotten.');
  const { deletedCount } = await mcpConnectionModel(context.db).deleteMany(filter);
  if (deletedCount === 0) throw notFound();
  await context.changes.publish('mcp_connection');
  return { success: true };
}

/** Whether the gateway holds what it needs to act for the user. */
export const isConnected = ({ sealedTokens }: McpConnectionDocument): boolean => sealedTokens !== null;
