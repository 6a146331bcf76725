import type { Resource } from '../../subgraph.ts';
import { mcpUserAccessModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const mcpUserAccess: Resource = { name: 'mcp-user-access', models: [mcpUserAccessModel], resolvers };
