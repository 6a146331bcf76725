export { requireMcpServer } from './find.ts';
export { type McpServerDocument, mcpServerModel } from './model.ts';
export { removeMcpServers } from './remove.ts';
