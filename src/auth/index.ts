export { type Principal, requireScope, tenantFilter } from './principal.ts';
export { type ApiKeyType, apiKeyTypes, isScope, mayHold, type Scope, scopesFor } from './scopes.ts';
