import { createTable } from '../../directory/table.ts';
import type { ChangeKind, Changes } from '../../storage/changes.ts';
import type { McpServerRecord } from './records.ts';

/** Reads MCP servers, many at a time; an id without an answer does not exist. */
export type McpSource = {
  /** Ids are `<organisationId>/<id or slug>`. */
  servers(ids: string[]): Promise<Map<string, McpServerRecord>>;
  /** Slugs of all MCP servers of each workspace, by name. */
  slugs(workspaceIds: string[]): Promise<Map<string, string[]>>;
};

type Found<T> = T | Promise<T>;

/**
 * MCP servers in memory, for calls: a value in memory is answered without a promise. A change is in effect in the process
 * that made it when it is answered, and in all others within a second.
 */
export type McpSnapshot = {
  /** An MCP server by id or slug; null for none. The same object until something in it changes. */
  server(organisationId: string, idOrSlug: string): Found<McpServerRecord | null>;
  /** Slugs of the MCP servers of a workspace. */
  slugsOf(workspaceId: string): Found<readonly string[]>;
};

const ofServers: ReadonlySet<ChangeKind> = new Set([
  ...(['mcp_server', 'mcp_integration', 'mcp_catalogue', 'secret_reference'] as const),
  'organisation',
]);

const NONE: readonly string[] = [];

export function createMcpSnapshot(source: McpSource, changes: Pick<Changes, 'subscribe'>): McpSnapshot {
  const servers = createTable<McpServerRecord>(
    (ids) => source.servers(ids),
    (before, after) => (before.revision === after.revision ? before : after),
  );
  const slugs = createTable<string[]>((workspaceIds) => source.slugs(workspaceIds));
  changes.subscribe(async (kind) => {
    if (ofServers.has(kind)) await servers.refresh();
    if (kind === 'mcp_server') await slugs.refresh();
  });
  return {
    server: (organisationId, idOrSlug) => servers.get(`${organisationId}/${idOrSlug}`),
    slugsOf(workspaceId) {
      const found = slugs.get(workspaceId);
      return found instanceof Promise ? found.then((list) => list ?? NONE) : (found ?? NONE);
    },
  };
}
