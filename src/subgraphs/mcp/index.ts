import type { Subgraph } from '../subgraph.ts';
import { mcpCapability } from './mcp-capability/resource.ts';
import { mcpConnection } from './mcp-connection/resource.ts';
import { mcpGrant } from './mcp-grant/resource.ts';
import { mcpIntegration } from './mcp-integration/resource.ts';
import { mcpServer } from './mcp-server/resource.ts';
import { mcpUserAccess } from './mcp-user-access/resource.ts';

export const mcp: Subgraph = {
  name: 'mcp',
  resources: [mcpIntegration, mcpCapability, mcpServer, mcpConnection, mcpUserAccess, mcpGrant],
};
