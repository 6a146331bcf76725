import { shownRateLimits, shownUsageLimits } from '../../limits/shown.ts';
import { referencedIntegration } from '../integration/index.ts';
import { limitOwner, statusOf } from '../provider/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { shownMappings } from './mappings.ts';
import { shownModelConfig } from './model-config.ts';
import {
  createVirtualKey,
  deleteVirtualKey,
  getVirtualKey,
  listVirtualKeys,
  updateVirtualKey,
} from './service.ts';

export const resolvers = {
  Query: {
    virtualKey: (_parent, { id, workspaceId }, context) => getVirtualKey(context, id, workspaceId),
    virtualKeys: (_parent, args, context) => listVirtualKeys(context, args),
  },
  Mutation: {
    createVirtualKey: (_parent, { input }, context) => createVirtualKey(context, input),
    updateVirtualKey: (_parent, { id, workspaceId, input }, context) =>
      updateVirtualKey(context, id, workspaceId, input),
    deleteVirtualKey: (_parent, { id, workspaceId }, context) => deleteVirtualKey(context, id, workspaceId),
  },
  VirtualKey: {
    id: ({ _id }) => _id,
    workspace: ({ workspaceId }) => ({ id: workspaceId }),
    usageLimits: async (virtualKey, _args, context) =>
      (await shownUsageLimits(context, limitOwner(virtualKey), virtualKey))[0] ?? null,
    rateLimits: (virtualKey) => shownRateLimits(virtualKey),
    status: (virtualKey, _args, context) => statusOf(virtualKey, context),
    aiProviderName: ({ integration }) => integration?.aiProviderId ?? null,
    hasOwnCredential: ({ integration }) => integration?.ofVirtualKey === true,
    maskedApiKey: ({ integration }) => (integration?.ofVirtualKey ? integration.keyMask : null),
    modelConfig: ({ integration }) =>
      integration?.ofVirtualKey ? shownModelConfig(integration.configurations) : {},
    secretMappings: ({ secretMappings }) => shownMappings(secretMappings),
    integration: ({ integrationId }, _args, context) => referencedIntegration(context, integrationId),
  },
} satisfies Resolvers;
