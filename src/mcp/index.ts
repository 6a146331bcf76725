export { createMcpHouse, type McpHouse, type McpHouseOptions } from './house.ts';
export type { UpstreamTarget } from './reach.ts';
