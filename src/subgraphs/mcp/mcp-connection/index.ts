export { type McpConnectionDocument, mcpConnectionModel } from '../../../mcp/connections/index.ts';
