export { describedSelf } from './client.ts';
export {
  connectionOwner,
  createMcpConnections,
  type McpConnections,
  type McpConnectionsOptions,
} from './connections.ts';
export { discoverIssuer } from './discovery.ts';
export { callbackOf, documentUrlOf, type UpstreamFlow } from './flows.ts';
export { type ConnectLink, connectUrl, readConnectLink } from './link.ts';
export { type McpConnectionDocument, mcpConnectionModel, upstreamFlowModel } from './model.ts';
export { widerScope } from './scopes.ts';
export type { ConnectionOwner } from './store.ts';
