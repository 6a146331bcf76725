export { AuthorizationProblem, type AuthorizationRequest } from './authorization-request.ts';
export {
  type ClientProof,
  isLocalRedirect,
  type OauthClient,
  oauthClientModel,
  type RegisteredClient,
  registrationCountModel,
} from './clients/index.ts';
export {
  type GrantHolder,
  isMcpToken,
  type McpGrantDocument,
  type McpTokenBearer,
  type McpTokenVerifier,
  mcpGrantModel,
  usedOnceModel,
} from './grants/index.ts';
export { resourceMetadata, serverMetadata } from './metadata.ts';
export { describable, invalidRequest, OauthProblem, unknownClient } from './problem.ts';
export type { ProtectedResource } from './resource.ts';
export type { McpScope } from './scopes.ts';
export { createMcpOauth, type McpOauth, type McpOauthOptions } from './server.ts';
