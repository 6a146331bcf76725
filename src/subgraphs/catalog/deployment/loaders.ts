import type { Principal } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { deploymentModel } from './model.ts';

/** What a workspace may use. */
export const usableIn = (workspaceId: string) => ({
  $or: [{ allowAllWorkspaces: true }, { allowedWorkspaces: workspaceId }],
});

/** An organisation credential sees all of the organisation's deployments. */
export const visibleDeployments = (principal: Principal) => ({
  organisationId: principal.organisationId,
  ...(principal.workspaceId && usableIn(principal.workspaceId)),
});

export const deploymentById = loaderById(deploymentModel, visibleDeployments);
