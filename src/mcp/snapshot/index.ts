export { type McpAccess, mcpAccess } from './access.ts';
export { type McpServerRecord, placeOf, type UpstreamHello, type UsableCapability } from './records.ts';
export { createMcpSnapshot, type McpSnapshot, type McpSource } from './snapshot.ts';
