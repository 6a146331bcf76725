import { isReservedSegment } from '../../../mcp/paths.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceById } from '../../identity/workspace/index.ts';
import { mcpAddress } from '../../own-address.ts';
import type { McpServerDocument } from './model.ts';

/** Where callers connect to an MCP server; one whose slug is a path of the gateway has its workspace in front. */
export async function addressOf(
  context: GraphContext,
  { slug, workspaceId }: Pick<McpServerDocument, 'slug' | 'workspaceId'>,
): Promise<string> {
  const base = mcpAddress(context);
  if (!isReservedSegment(slug)) return `${base}/${slug}/mcp`;
  const workspace = await workspaceById(context).load(workspaceId);
  return `${base}/${workspace?.slug ?? workspaceId}/${slug}/mcp`;
}
