import { referencedIntegration } from '../integration/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
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
    status: ({ expiresAt, status }, _args, context) =>
      expiresAt && expiresAt <= context.now() ? 'expired' : status,
  },
} satisfies Resolvers;
