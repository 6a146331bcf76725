import type { Resource } from '../../subgraph.ts';
import { mcpCapabilityModel, mcpCatalogueModel, mcpSwitchModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const mcpCapability: Resource = {
  name: 'mcp-capability',
  models: [mcpCapabilityModel, mcpCatalogueModel, mcpSwitchModel],
  resolvers,
};
