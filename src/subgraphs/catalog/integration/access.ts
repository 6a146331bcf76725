import { type Principal, requireScope, type Scope } from '../../../auth/index.ts';

export type IntegrationVerb = 'create' | 'delete' | 'list' | 'read' | 'update';

/** The scope that an operation needs at the level of the integration. */
export const levelScope = (workspaceId: string | null, verb: IntegrationVerb): Scope =>
  `${workspaceId === null ? 'organisation' : 'workspace'}_integrations.${verb}`;

export const requireAnyLevel = (principal: Principal | null, verb: IntegrationVerb): Principal =>
  requireScope(principal, [`organisation_integrations.${verb}`, `workspace_integrations.${verb}`]);

export const requireLevel = (
  principal: Principal | null,
  workspaceId: string | null,
  verb: IntegrationVerb,
): Principal => requireScope(principal, [levelScope(workspaceId, verb)]);

/** What a workspace may use: its own integrations and the organisation-level ones that are shared with it. */
export const usableIn = (workspaceId: string) => ({
  $or: [
    { workspaceId },
    { workspaceId: null, workspaces: { $elemMatch: { workspaceId, enabled: true } } },
    {
      workspaceId: null,
      'globalWorkspaceAccess.enabled': true,
      'workspaces.workspaceId': { $ne: workspaceId },
    },
  ],
});

/** An organisation credential sees all of the organisation's integrations. */
export const visibleIntegrations = (principal: Principal) => ({
  organisationId: principal.organisationId,
  ...(principal.workspaceId && usableIn(principal.workspaceId)),
});
