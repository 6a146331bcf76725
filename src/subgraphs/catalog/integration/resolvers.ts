import { shownRateLimits, shownUsageLimits, shownUsageTerms } from '../../limits/shown.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { createIntegration } from './create.ts';
import { shownConfigurations, shownModel } from './sealed.ts';
import {
  countWorkspaces,
  deleteIntegration,
  getIntegration,
  listIntegrations,
  updateIntegration,
} from './service.ts';
import { deleteIntegrationModels, updateIntegrationModels } from './update-models.ts';
import { shownEntries } from './workspaces/limits.ts';
import { updateIntegrationWorkspaces } from './workspaces/update.ts';

export const resolvers = {
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
    id: (integration) => integration._id,
    workspace: ({ workspaceId }) => (workspaceId ? { id: workspaceId } : null),
    maskedKey: (integration) => integration.keyMask,
    configurations: (integration, _args, context) => shownConfigurations(context.secrets, integration),
    models: ({ _id, models }, { limit }, context) =>
      models.slice(0, limit).map((model) => shownModel(context.secrets, model, _id)),
    modelCount: (integration) => integration.models.length,
    globalWorkspaceAccessSettings: (integration) => integration.globalWorkspaceAccess,
    workspaceCount: (integration, _args, context) => countWorkspaces(context, integration),
    secretMappings: (integration) => integration.secretMappings ?? [],
    workspaces: (integration, { limit }) => shownEntries(integration, limit),
    workspaceEntryCount: (integration) => integration.workspaces.length,
  },
  GlobalWorkspaceAccess: {
    usageLimits: (access, _args, context) => shownUsageTerms(context, access),
    rateLimits: (access) => shownRateLimits(access),
  },
  IntegrationWorkspace: {
    workspace: ({ workspaceId }) => ({ id: workspaceId }),
    usageLimits: (entry, _args, context) => shownUsageLimits(context, entry.owner, entry),
    rateLimits: (entry) => shownRateLimits(entry),
  },
} satisfies Resolvers;
