import type { Resolvers } from '../resolvers.generated.ts';
import { deleteMcpIntegration } from './delete.ts';
import { catalogueOf } from './loaders.ts';
import { shownMetadata } from './metadata.ts';
import {
  countMcpWorkspaces,
  createMcpIntegration,
  getMcpIntegration,
  listMcpIntegrations,
} from './service.ts';
import { shownSettings } from './settings.ts';
import { testMcpIntegration } from './try-out.ts';
import { updateMcpIntegration } from './update.ts';
import { mcpIntegrationWorkspaces, updateMcpIntegrationWorkspaces } from './workspaces.ts';

export const resolvers = {
  Query: {
    mcpIntegration: (_parent, { id }, context) => getMcpIntegration(context, id),
    mcpIntegrations: (_parent, args, context) => listMcpIntegrations(context, args),
    mcpIntegrationWorkspaces: (_parent, { id, limit }, context) =>
      mcpIntegrationWorkspaces(context, id, limit),
  },
  Mutation: {
    createMcpIntegration: (_parent, { input }, context) => createMcpIntegration(context, input),
    updateMcpIntegration: (_parent, { id, input }, context) => updateMcpIntegration(context, id, input),
    deleteMcpIntegration: (_parent, { id }, context) => deleteMcpIntegration(context, id),
    testMcpIntegration: (_parent, { id }, context) => testMcpIntegration(context, id),
    updateMcpIntegrationWorkspaces: (_parent, { id, input }, context) =>
      updateMcpIntegrationWorkspaces(context, id, input),
  },
  McpIntegration: {
    id: (integration) => integration._id,
    workspace: ({ workspaceId }) => (workspaceId ? { id: workspaceId } : null),
    type: ({ workspaceId }) => (workspaceId === null ? 'organisation' : 'workspace'),
    configurations: (integration, _args, context) => shownSettings(context.secrets, integration),
    workspaceCount: (integration, _args, context) => countMcpWorkspaces(context, integration),
    metadata: async ({ _id }, _args, context) =>
      shownMetadata(await catalogueOf(context).load(_id), context.mcp.healthOf(_id)),
  },
  McpIntegrationWorkspace: {
    workspace: ({ workspaceId }) => ({ id: workspaceId }),
    status: () => 'active' as const,
  },
  McpSecretMapping: {
    secretReference: ({ secretReferenceId }) => ({ id: secretReferenceId }),
  },
} satisfies Resolvers;
