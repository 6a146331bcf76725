import { ownUser, type Principal, tenantFilter } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { logExportModel } from './model.ts';

/** Whoever a credential acts for. */
export const actorOf = ({ userId, id }: Principal): string => userId ?? id;

/**
 * A user's key sees only what it, or another credential of its user, made; whoever may see no other requests than their own
 * also sees only what was made under that bound.
 */
export const visibleExports = (principal: Principal) => ({
  ...tenantFilter(principal),
  ...(isNarrow(principal) && { createdBy: actorOf(principal) }),
  ...(principal.ownOnly?.has('requests') && { 'filters.userId': { $in: [ownUser(principal), []] } }),
});

const isNarrow = ({ kind, ownOnly }: Principal): boolean =>
  kind === 'workspace-user' || (ownOnly?.has('requests') ?? false);

export const logExportById = loaderById(logExportModel, visibleExports);
