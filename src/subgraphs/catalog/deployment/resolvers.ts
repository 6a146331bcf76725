import { allowedWorkspaceIds } from '../allowed-workspaces.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import {
  countWorkspaces,
  createDeployment,
  deleteDeployment,
  getDeployment,
  listDeployments,
  updateDeployment,
} from './service.ts';

export const resolvers = {
  Query: {
    deployment: (_parent, { id }, context) => getDeployment(context, id),
    deployments: (_parent, args, context) => listDeployments(context, args),
  },
  Mutation: {
    createDeployment: (_parent, { input }, context) => createDeployment(context, input),
    updateDeployment: (_parent, { id, input }, context) => updateDeployment(context, id, input),
    deleteDeployment: (_parent, { id }, context) => deleteDeployment(context, id),
  },
  Deployment: {
    id: (deployment) => deployment._id,
    creator: ({ createdBy }) => ({ id: createdBy }),
    allowedWorkspaceIds: (deployment, { limit }, context) => allowedWorkspaceIds(context, deployment, limit),
    allowedWorkspaces: async (deployment, { limit }, context) =>
      (await allowedWorkspaceIds(context, deployment, limit)).map((id) => ({ id })),
    workspaceCount: (deployment, _args, context) => countWorkspaces(context, deployment),
  },
} satisfies Resolvers;
