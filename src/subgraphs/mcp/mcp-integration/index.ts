export { mcpLevelScope } from './access.ts';
export { isGrantedTo, namedMcpIntegration, requireMcpIntegration } from './find.ts';
export { catalogueOf, integrationOfServer } from './loaders.ts';
export { shownMetadata } from './metadata.ts';
export { type McpIntegrationDocument, mcpIntegrationModel } from './model.ts';
export { clearSettings, shownSettings } from './settings.ts';
export { upstreamTargets } from './targets.ts';
export { tryIntegration } from './try-out.ts';
