import { shownRateLimits, shownUsageLimits } from '../../limits/shown.ts';
import { referencedIntegration } from '../integration/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { statusOf } from './find.ts';
import { limitOwner } from './model.ts';
import { createProvider, deleteProvider, getProvider, listProviders, updateProvider } from './service.ts';

export const resolvers = {
  Query: {
    provider: (_parent, { id, workspaceId }, context) => getProvider(context, id, workspaceId),
    providers: (_parent, args, context) => listProviders(context, args),
  },
  Mutation: {
    createProvider: (_parent, { input }, context) => createProvider(context, input),
    updateProvider: (_parent, { id, workspaceId, input }, context) =>
      updateProvider(context, id, workspaceId, input),
    deleteProvider: (_parent, { id, workspaceId }, context) => deleteProvider(context, id, workspaceId),
  },
  Provider: {
    id: (provider) => provider._id,
    workspace: ({ workspaceId }) => ({ id: workspaceId }),
    integration: ({ integrationId }, _args, context) => referencedIntegration(context, integrationId),
    secretMappings: (provider) => provider.secretMappings ?? [],
    usageLimits: async (provider, _args, context) =>
      (await shownUsageLimits(context, limitOwner(provider), provider))[0] ?? null,
    rateLimits: (provider) => shownRateLimits(provider),
    status: (provider, _args, context) => statusOf(provider, context),
  },
} satisfies Resolvers;
