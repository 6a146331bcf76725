import type { GraphContext } from '../../context.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { removeCatalogue } from '../mcp-capability/index.ts';
import { mcpConnectionModel } from '../mcp-connection/index.ts';
import { type McpServerDocument, mcpServerModel, removeMcpServers } from '../mcp-server/index.ts';
import { mcpIntegrationNotFound, requireMcpIntegration } from './find.ts';
import { mcpIntegrationModel } from './model.ts';

/**
 * Deletes an integration with all that hangs on it. It is archived first, which ends its calls at once: a deletion that
 * failed half-way can be repeated.
 */
export async function deleteMcpIntegration(context: GraphContext, id: string): Promise<string> {
  const { integration } = await requireMcpIntegration(context, id, 'delete');
  const { _id, organisationId } = integration;
  const model = mcpIntegrationModel(context.db);
  const archived = await model.updateOne(
    { _id, organisationId, ...ifUnchanged(context) },
    { status: 'archived' },
  );
  if (archived.matchedCount === 0) throw notWritten(context, mcpIntegrationNotFound());
  await context.changes.publish('mcp_integration');
  const servers = await mcpServerModel(context.db)
    .find({ organisationId, mcpIntegrationId: _id }, { _id: 1 })
    .lean<Pick<McpServerDocument, '_id'>[]>();
  await removeMcpServers(
    context,
    organisationId,
    servers.map((server) => server._id),
  );
  await mcpConnectionModel(context.db).deleteMany({ organisationId, mcpIntegrationId: _id });
  await removeCatalogue(context, integration);
  await model.deleteOne({ _id, organisationId });
  await context.changes.publish('mcp_server');
  return _id;
}
