import type { Resource } from '../../subgraph.ts';
import { workspaceModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedWorkspace } from './service.ts';

export { workspaceById } from './loaders.ts';
export { defaultWorkspaceId, organisationWorkspaceIds, workspaceIdsNamed } from './lookup.ts';
export { type WorkspaceDocument, workspaceModel } from './model.ts';
export { namedWorkspaceId, workspaceIdFor } from './service.ts';
export { deniedExportFields, logModeOf } from './settings.ts';

export const workspace: Resource = {
  name: 'workspace',
  models: [workspaceModel],
  resolvers,
  references: { Workspace: ({ id }, context) => referencedWorkspace(context, id) },
};
