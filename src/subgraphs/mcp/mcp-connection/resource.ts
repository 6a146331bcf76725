import { mcpConnectionModel } from '../../../mcp/connections/index.ts';
import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const mcpConnection: Resource = { name: 'mcp-connection', models: [mcpConnectionModel], resolvers };
