import type { Resolvers } from '../../subgraph.ts';
import { createIntegration } from './create.ts';
import type { IntegrationDocument } from './model.ts';
import { shownConfigurations, shownModel } from './sealed.ts';
import {
  countWorkspaces,
  deleteIntegration,
  getIntegration,
  listIntegrations,
  updateIntegration,
} from './service.ts';
import { deleteIntegrationModels, updateIntegrationModels } from './update-models.ts';
import { updateIntegrationWorkspaces } from './update-workspaces.ts';

export const resolvers: Resolvers = {
  Query: {
    integration: (_parent, { id }, context) => getIntegration(context, id),
    integrations: (_parent, args, context) => listIntegrations(context, args),
  },
  Mutation: {
    createIntegration: (_parent, { input }, context) => createIntegration(context, input),
    updateIntegration: (_parent, { id, input }, context) => updateIntegration(context, id, input),
    deleteIntegration: (_parent, { id }, context) => deleteIntegration(context, id),
    updateIntegrationModels: (_parent, { id, input }, context) => updateIntegrationModels(context, id, input),
    deleteIntegrationModels: (_parent, { id, slugs }, context) => deleteIntegrationModels(context, id, slugs),
    updateIntegrationWorkspaces: (_parent, { id, input }, context) =>
      updateIntegrationWorkspaces(context, id, input),
  },
  Integration: {
    id: (integration: IntegrationDocument) => integration._id,
    workspace: ({ workspaceId }: IntegrationDocument) => workspaceId && { id: workspaceId },
    maskedKey: (integration: IntegrationDocument) => integration.keyMask,
    configurations: (integration: IntegrationDocument, _args, context) =>
      shownConfigurations(context.secrets, integration),
    models: ({ _id, models }: IntegrationDocument, { limit }, context) =>
      models.slice(0, limit).map((model) => shownModel(context.secrets, model, _id)),
    modelCount: (integration: IntegrationDocument) => integration.models.length,
    globalWorkspaceAccessSettings: (integration: IntegrationDocument) => integration.globalWorkspaceAccess,
    workspaceCount: (integration: IntegrationDocument, _args, context) =>
      countWorkspaces(context, integration),
    workspaces: ({ workspaces }: IntegrationDocument, { limit }) => workspaces.slice(0, limit),
    workspaceEntryCount: (integration: IntegrationDocument) => integration.workspaces.length,
  },
  IntegrationWorkspace: {
    workspace: ({ workspaceId }: { workspaceId: string }) => ({ id: workspaceId }),
  },
};
