import type { Resource } from '../../subgraph.ts';
import { workspaceModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedWorkspace } from './service.ts';

export const workspace: Resource = {
  name: 'workspace',
  models: [workspaceModel],
  resolvers,
  references: { Workspace: ({ id }, context) => referencedWorkspace(context, id) },
};
