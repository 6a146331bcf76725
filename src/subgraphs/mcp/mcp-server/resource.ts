import type { Resource } from '../../subgraph.ts';
import { referencedMcpServer } from './find.ts';
import { mcpServerModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const mcpServer: Resource = {
  name: 'mcp-server',
  models: [mcpServerModel],
  ownedByWorkspace: true,
  resolvers,
  references: { McpServer: ({ id }, context) => referencedMcpServer(context, id) },
};
