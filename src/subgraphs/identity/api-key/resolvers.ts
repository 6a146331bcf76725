import { limitedStatus } from '../../limits/exhausted.ts';
import { lastReset } from '../../limits/periods.ts';
import { shownRateLimits, shownUsageLimits } from '../../limits/shown.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { userById } from '../user/index.ts';
import { workspaceById } from '../workspace/index.ts';
import { createApiKey } from './create.ts';
import { identifyApiKey } from './identify.ts';
import { lastUseOf } from './last-use.ts';
import { type ApiKeyDocument, limitOwner } from './model.ts';
import { transitionEnd } from './replace-secret.ts';
import { revealApiKey, rotateApiKey } from './rotate.ts';
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
    revealApiKey: (_parent, { id }, context) => revealApiKey(context, id),
    identifyApiKey: (_parent, { input }, context) => identifyApiKey(context, input),
    deleteApiKey: (_parent, { id }, context) => deleteApiKey(context, id),
  },
  ApiKey: {
    id: (key) => key._id,
    key: (key) => key.secretMask,
    workspace: (key, _args, context) =>
      key.workspaceId ? workspaceById(context).load(key.workspaceId) : null,
    user: ({ userId }, _args, context) => (userId ? userById(context).load(userId) : null),
    // Keys of versions without these members have none stored.
    alertEmails: ({ alertEmails }: Partial<ApiKeyDocument>) => alertEmails ?? [],
    lastUsedAt: (key, _args, context) => lastUseOf(context).load(key._id),
    usageLimits: async (key, _args, context) =>
      (await shownUsageLimits(context, limitOwner(key), key))[0] ?? null,
    rateLimits: (key) => shownRateLimits(key),
    lastResetAt: ({ usageLimits }, _args, context) => {
      const [limit] = usageLimits ?? [];
      return limit ? lastReset(limit, context.now()) : null;
    },
    hasUnseenSecret: ({ unseenSecret }) => unseenSecret !== undefined,
    keyTransitionExpiresAt: (key, _args, context) => transitionEnd(key, context.now()),
    status: (key, _args, context) => limitedStatus(context, key, limitOwner(key)),
  },
} satisfies Resolvers;
