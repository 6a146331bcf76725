/** First segments of paths that mean something else than an MCP server. */
const reserved: ReadonlySet<string> = new Set([
  ...['v1', 'v2', 'v0.1', 'admin', 'iam', 'oauth', 'oauth2', 'graphql', 'subgraphs', 'explorer', 'mcp'],
  ...['openapi.json', 'healthz', 'readyz', 'metrics', '.well-known', 'console', 'invites', 'scim'],
  ...['reference', 'supergraph.graphql', 'model-configs'],
]);

/** Whether a path that begins with this segment is one of the gateway's own. */
export const isReservedSegment = (segment: string): boolean => reserved.has(segment.toLowerCase());

/** What a path of the listener means to callers of MCP servers. */
export type McpPlace =
  | { kind: 'server'; workspace: string | null; slug: string }
  /** All servers that the caller may use. */
  | { kind: 'aggregate' }
  /** The transport of 2024-11-05, which callers no longer get. */
  | { kind: 'gone'; slug: string };

const SEGMENT = '[A-Za-z0-9_-]{1,255}';
const endpoint = new RegExp(`^/(?:(${SEGMENT})/)?(${SEGMENT})/mcp$`);
const old = new RegExp(`^/(${SEGMENT})/(?:sse|messages)$`);

/** What a path means; null for one that is about no MCP server. */
export function mcpPlaceOf(path: string): McpPlace | null {
  if (path === '/mcp') return { kind: 'aggregate' };
  const [, workspace, slug] = endpoint.exec(path) ?? [];
  if (slug !== undefined)
    return isReservedSegment(workspace ?? slug)
      ? null
      : { kind: 'server', workspace: workspace ?? null, slug };
  const [, gone] = old.exec(path) ?? [];
  return gone === undefined || isReservedSegment(gone) ? null : { kind: 'gone', slug: gone };
}
