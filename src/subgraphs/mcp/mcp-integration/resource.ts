import type { Resource } from '../../subgraph.ts';
import { mcpIntegrationModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedMcpIntegration } from './service.ts';

export const mcpIntegration: Resource = {
  name: 'mcp-integration',
  models: [mcpIntegrationModel],
  ownedByWorkspace: true,
  resolvers,
  references: { McpIntegration: ({ id }, context) => referencedMcpIntegration(context, id) },
};
