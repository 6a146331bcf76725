export { type McpUserEntry, mcpUserAccessModel } from './model.ts';
