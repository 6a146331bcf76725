import { type Principal, tenantFilter } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { logExportModel } from './model.ts';

/** Whoever a credential acts for. */
export const actorOf = ({ userId, id }: Principal): string => userId ?? id;

/** A user's key sees only what it, or another credential of its user, made. */
export const visibleExports = (principal: Principal) => ({
  ...tenantFilter(principal),
  ...(principal.kind === 'workspace-user' && { createdBy: actorOf(principal) }),
});

export const logExportById = loaderById(logExportModel, visibleExports);
