import { effectiveSwitches } from '../../../auth/index.ts';
import { shownRateLimits, shownUsageLimits } from '../../limits/shown.ts';
import { referred } from '../../loading.ts';
import { latestMembers } from '../member/index.ts';
import { organisationById } from '../organisation/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { limitOwner } from './model.ts';
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  updateWorkspace,
} from './service.ts';
import { updateWorkspaceSettings } from './settings.ts';

export const resolvers = {
  Query: {
    workspace: (_parent, { id }, context) => getWorkspace(context, id),
    workspaces: (_parent, args, context) => listWorkspaces(context, args),
  },
  Mutation: {
    createWorkspace: (_parent, { input }, context) => createWorkspace(context, input),
    updateWorkspace: (_parent, { id, input }, context) => updateWorkspace(context, id, input),
    updateWorkspaceSettings: (_parent, { id, input }, context) => updateWorkspaceSettings(context, id, input),
    deleteWorkspace: (_parent, { id }, context) => deleteWorkspace(context, id),
  },
  Workspace: {
    id: (workspace) => workspace._id,
    settings: ({ settings }) => ({ ...settings, switches: settings?.switches ?? {} }),
    effectiveSwitches: async ({ organisationId, settings }, _args, context) => {
      const organisation = await organisationById(context).load(organisationId);
      return effectiveSwitches(organisation?.settings, settings?.switches);
    },
    usageLimits: (workspace, _args, context) => shownUsageLimits(context, limitOwner(workspace), workspace),
    rateLimits: (workspace) => shownRateLimits(workspace),
    organisation: async (workspace, _args, context) =>
      referred(await organisationById(context).load(workspace.organisationId)),
    members: ({ _id: workspaceId }, { limit }, context) =>
      latestMembers(context).load({ workspaceId, limit }),
  },
} satisfies Resolvers;
