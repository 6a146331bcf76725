import type { Resource } from '../../subgraph.ts';
import { mcpConnectionModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const mcpConnection: Resource = { name: 'mcp-connection', models: [mcpConnectionModel], resolvers };
