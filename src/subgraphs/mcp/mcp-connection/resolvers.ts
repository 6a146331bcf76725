import type { Resolvers } from '../resolvers.generated.ts';
import { isConnected, listMcpServerConnections, revokeMcpServerConnection } from './service.ts';

export const resolvers = {
  Query: {
    mcpServerConnections: (_parent, args, context) => listMcpServerConnections(context, args),
  },
  Mutation: {
    revokeMcpServerConnection: (_parent, args, context) => revokeMcpServerConnection(context, args),
  },
  McpConnection: {
    connected: (connection) => isConnected(connection),
  },
} satisfies Resolvers;
