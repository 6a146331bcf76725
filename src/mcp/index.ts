export { createMcpHouse, type McpHouse, type McpHouseOptions } from './house.ts';
export { createMcpServing, type McpServing } from './serve.ts';
export type { UpstreamTarget } from './target.ts';
