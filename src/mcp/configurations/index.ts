export { type McpAuthType, requireCoherent } from './check.ts';
export { ConfigurationProblem, parseMcpConfigurations } from './parse.ts';
export type { McpConfigurations } from './schema.ts';
export { isFillable, joined, type McpSecretTexts, type Separated, separated } from './secrets.ts';
