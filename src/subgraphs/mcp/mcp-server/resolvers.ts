import { workspaceById } from '../../identity/workspace/index.ts';
import { catalogueOf, integrationOfServer, shownMetadata } from '../mcp-integration/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { addressOf } from './address.ts';
import { integrationDetails, readableIntegration } from './details.ts';
import { requireMcpServer } from './find.ts';
import { mcpRegistry } from './registry.ts';
import {
  createMcpServer,
  deleteMcpServer,
  listMcpServers,
  testMcpServer,
  updateMcpServer,
} from './service.ts';

export const resolvers = {
  Query: {
    mcpServer: (_parent, { id }, context) => requireMcpServer(context, id, 'mcp_servers.read'),
    mcpServers: (_parent, args, context) => listMcpServers(context, args),
    mcpRegistry: (_parent, args, context) => mcpRegistry(context, args),
  },
  Mutation: {
    createMcpServer: (_parent, { input }, context) => createMcpServer(context, input),
    updateMcpServer: (_parent, { id, input }, context) => updateMcpServer(context, id, input),
    testMcpServer: (_parent, { id }, context) => testMcpServer(context, id),
    deleteMcpServer: (_parent, { id }, context) => deleteMcpServer(context, id),
  },
  McpServer: {
    id: (server) => server._id,
    workspace: ({ workspaceId }) => ({ id: workspaceId }),
    mcpIntegration: (server, _args, context) => readableIntegration(context, server),
    mcpIntegrationDetails: (server, _args, context) => integrationDetails(context, server),
    mcpIntegrationSlug: async ({ mcpIntegrationId }, _args, context) =>
      (await integrationOfServer(context).load(mcpIntegrationId))?.slug,
    mcpIntegrationUrl: async ({ mcpIntegrationId }, _args, context) =>
      (await integrationOfServer(context).load(mcpIntegrationId))?.url,
    authType: async ({ mcpIntegrationId }, _args, context) =>
      (await integrationOfServer(context).load(mcpIntegrationId))?.authType,
    workspaceName: async ({ workspaceId }, _args, context) =>
      (await workspaceById(context).load(workspaceId))?.name,
    workspaceSlug: async ({ workspaceId }, _args, context) =>
      (await workspaceById(context).load(workspaceId))?.slug,
    url: (server, _args, context) => addressOf(context, server),
    metadata: async ({ mcpIntegrationId }, _args, context) =>
      shownMetadata(
        await catalogueOf(context).load(mcpIntegrationId),
        context.mcp.healthOf(mcpIntegrationId),
      ),
  },
} satisfies Resolvers;
