import { createMcpHouse, type McpHouseOptions } from '../mcp/index.ts';
import { createMcpSnapshot } from '../mcp/snapshot/index.ts';
import type { AuditTrail } from '../recording/audit/trail.ts';
import { recordDefinitionChange } from '../subgraphs/mcp/mcp-integration/definition-change.ts';
import { loadSyncTargets } from '../subgraphs/mcp/mcp-integration/targets.ts';
import { createServerLoader, loadServerSlugs } from '../subgraphs/mcp/mcp-server/records.ts';

type Given = Omit<McpHouseOptions, 'targets' | 'onChange'> & {
  audit: AuditTrail;
};

/** What reaches MCP servers, with the integrations of this installation, and what calls need of them in memory. */
export function createMcp({ audit, ...given }: Given) {
  const { db, secrets, now, changes } = given;
  const house = createMcpHouse({
    ...given,
    targets: (ids) => loadSyncTargets(db, secrets, ids),
    onChange: (change) => recordDefinitionChange({ audit, now }, change),
  });
  const servers = createServerLoader(db, secrets);
  const snapshot = createMcpSnapshot({ servers, slugs: (ids) => loadServerSlugs(db, ids) }, changes);
  return { ...house, snapshot };
}
