export type { McpDoor } from './door/index.ts';
export { createMcpHouse, type McpHouse, type McpHouseOptions } from './house.ts';
export type { UpstreamHealth } from './lines/health.ts';
export { createMcpServing, type McpServed, type McpServing } from './serve.ts';
export type { UpstreamTarget } from './target.ts';
