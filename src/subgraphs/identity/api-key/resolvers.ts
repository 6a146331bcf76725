import type { Resolvers } from '../resolvers.generated.ts';
import { workspaceById } from '../workspace/index.ts';
import { createApiKey } from './create.ts';
import { rotateApiKey, transitionEnd } from './rotate.ts';
import { deleteApiKey, getApiKey, listApiKeys, updateApiKey } from './service.ts';

export const resolvers = {
  Query: {
    apiKey: (_parent, { id }, context) => getApiKey(context, id),
    apiKeys: (_parent, args, context) => listApiKeys(context, args),
  },
  Mutation: {
    createOrganisationServiceApiKey: (_parent, { input }, context) =>
      createApiKey(context, 'organisation-service', input),
    createWorkspaceServiceApiKey: (_parent, { input }, context) =>
      createApiKey(context, 'workspace-service', input),
    createWorkspaceUserApiKey: (_parent, { input }, context) =>
      createApiKey(context, 'workspace-user', input),
    updateApiKey: (_parent, { id, input }, context) => updateApiKey(context, id, input),
    rotateApiKey: (_parent, { id, input }, context) => rotateApiKey(context, id, input),
    deleteApiKey: (_parent, { id }, context) => deleteApiKey(context, id),
  },
  ApiKey: {
    id: (key) => key._id,
    key: (key) => key.secretMask,
    workspace: (key, _args, context) =>
      key.workspaceId ? workspaceById(context).load(key.workspaceId) : null,
    keyTransitionExpiresAt: (key, _args, context) => transitionEnd(key, context.now()),
    status: (key, _args, context) =>
      key.expiresAt && key.expiresAt <= context.now() ? 'expired' : key.status,
  },
} satisfies Resolvers;
