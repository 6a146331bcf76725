import type { Principal } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { workspaceModel } from './model.ts';

/** A workspace credential sees its own workspace, an organisation credential all of the organisation's. */
export const visibleWorkspaces = (principal: Principal) => ({
  organisationId: principal.organisationId,
  ...(principal.workspaceId && { _id: principal.workspaceId }),
});

export const workspaceById = loaderById(workspaceModel, visibleWorkspaces);
