export {
  ACCESS_TOKEN_SECONDS,
  ACCESS_TOKEN_TYPE,
  type AccessTokenClaims,
  claimsToBeAccessToken,
  type HeldRole,
  MCP_TOKEN_SECONDS,
  signAccessToken,
  tokenExpired,
  tokenInvalid,
  type VerifiedToken,
  verifyAccessToken,
} from './access-token.ts';
export {
  ownRequestsFilter,
  ownUser,
  type Principal,
  type PrincipalKind,
  requireScope,
  tenantFilter,
} from './principal.ts';
export { builtInRoles, iamPermissions, isPermission, type Permission } from './roles.ts';
export { meaningOf } from './scope-meanings.ts';
export { presetsFor, type ScopePreset } from './scope-presets.ts';
export {
  type ApiKeyType,
  apiKeyTypes,
  holdersOf,
  isScope,
  mayHold,
  type Scope,
  scopes,
  scopesFor,
} from './scopes.ts';
export {
  effectiveSwitches,
  initialStates,
  keyRights,
  type OwnData,
  type Rights,
  rightsOf,
  type SetSwitches,
  type SwitchName,
  type SwitchSettings,
  type SwitchStates,
  switches,
  switchNames,
  switchStates,
} from './switches/index.ts';
export { type Attempt, createThrottle, type Sleep, sleep, type Throttle, throttleGauge } from './throttle.ts';
