export {
  ACCESS_TOKEN_SECONDS,
  ACCESS_TOKEN_TYPE,
  type AccessTokenClaims,
  claimsToBeAccessToken,
  type HeldRole,
  signAccessToken,
  tokenExpired,
  tokenInvalid,
  type VerifiedToken,
  verifyAccessToken,
} from './access-token.ts';
export { type Principal, type PrincipalKind, requireScope, tenantFilter } from './principal.ts';
export { builtInRoles, iamPermissions, isPermission, type Permission } from './roles.ts';
export { type ApiKeyType, apiKeyTypes, isScope, mayHold, type Scope, scopes, scopesFor } from './scopes.ts';
export { type Attempt, createThrottle, type Sleep, sleep, type Throttle, throttleGauge } from './throttle.ts';
