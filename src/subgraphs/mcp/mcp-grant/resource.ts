import { mcpGrantModel } from '../../../mcp/oauth/index.ts';
import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const mcpGrant: Resource = { name: 'mcp-grant', models: [mcpGrantModel], resolvers };
