import type { GraphContext } from '../../context.ts';
import { workspaceById } from '../../identity/workspace/index.ts';
import { ownAddress } from '../../own-address.ts';
import type { McpServerDocument } from './model.ts';

/** First segments of paths that mean something else than an MCP server. */
const reserved: ReadonlySet<string> = new Set([
  ...['v1', 'v2', 'v0.1', 'admin', 'iam', 'oauth', 'oauth2', 'graphql', 'subgraphs', 'explorer', 'mcp'],
  ...[
    'openapi.json',
    'healthz',
    'readyz',
    'metrics',
    '.well-known',
    'console',
    'invites',
    'scim',
    'reference',
  ],
  ...['supergraph.graphql', 'model-configs'],
]);

/** Where callers connect to an MCP server; one whose slug is a path of the gateway has its workspace in front. */
export async function addressOf(
  context: GraphContext,
  { slug, workspaceId }: Pick<McpServerDocument, 'slug' | 'workspaceId'>,
): Promise<string> {
  const base = context.mcp.baseUrl ?? ownAddress(context);
  if (!reserved.has(slug.toLowerCase())) return `${base}/${slug}/mcp`;
  const workspace = await workspaceById(context).load(workspaceId);
  return `${base}/${workspace?.slug ?? workspaceId}/${slug}/mcp`;
}
