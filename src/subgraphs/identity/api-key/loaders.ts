import { ownUser, type Principal, tenantFilter } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { apiKeyModel } from './model.ts';

/**
 * A workspace credential sees its workspace's keys, an organisation credential all of the organisation's, and a member the
 * user keys of their own.
 */
export const visibleKeys = (principal: Principal) => ({
  ...tenantFilter(principal),
  ...(principal.ownOnly?.has('api keys') && {
    type: 'workspace-user' as const,
    userId: { $in: ownUser(principal) },
  }),
});

export const apiKeyById = loaderById(apiKeyModel, visibleKeys);
