import type { Connection } from 'mongoose';
import type { Logger } from '../lib/logger.ts';
import { createMcpHouse, type McpHouseOptions } from '../mcp/index.ts';
import type { AuditTrail } from '../recording/audit/trail.ts';
import type { Secrets } from '../storage/secrets.ts';
import { recordDefinitionChange } from '../subgraphs/mcp/mcp-integration/definition-change.ts';
import { loadSyncTargets } from '../subgraphs/mcp/mcp-integration/targets.ts';

type Given = Omit<McpHouseOptions, 'targets' | 'onChange'> & {
  db: Connection;
  secrets: Secrets;
  audit: AuditTrail;
  log: Logger;
};

/** What reaches MCP servers, with the integrations of this installation. */
export const createMcp = ({ secrets, audit, ...given }: Given) =>
  createMcpHouse({
    ...given,
    targets: (ids) => loadSyncTargets(given.db, secrets, ids),
    onChange: (change) => recordDefinitionChange({ audit, now: given.now }, change),
  });
