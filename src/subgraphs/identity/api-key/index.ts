export { type ApiKeyDefaults, type ApiKeyDocument, apiKeyModel } from './model.ts';
export { grantedScopes, requireKeyScope } from './scopes.ts';
export { deleteUserKeys, ensureUserKey } from './user-keys.ts';
