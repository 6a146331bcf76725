import type { GraphContext } from '../../context.ts';
import { mcpSwitchModel } from '../mcp-capability/index.ts';
import { mcpUserAccessModel } from '../mcp-user-access/index.ts';
import { mcpServerModel } from './model.ts';

/** Deletes MCP servers with their switches and the entries of users. Who calls it tells of the change. */
export async function removeMcpServers(
  { db }: Pick<GraphContext, 'db'>,
  organisationId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const parts = { organisationId, mcpServerId: { $in: ids } };
  await mcpServerModel(db).deleteMany({ organisationId, _id: { $in: ids } });
  await mcpSwitchModel(db).deleteMany(parts);
  await mcpUserAccessModel(db).deleteMany(parts);
}
