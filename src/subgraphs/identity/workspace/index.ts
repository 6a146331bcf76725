export { workspaceById } from './loaders.ts';
export { defaultWorkspaceId, organisationWorkspaceIds, workspaceIdsNamed } from './lookup.ts';
export { type WorkspaceDocument, workspaceModel } from './model.ts';
export { namedWorkspaceId, workspaceIdFor } from './service.ts';
export { deniedExportFields, logModeOf } from './settings.ts';
