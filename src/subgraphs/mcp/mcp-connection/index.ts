export { type McpConnectionDocument, mcpConnectionModel } from './model.ts';
