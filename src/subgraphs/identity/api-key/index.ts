export { requireLimitSetter } from './limit-setter.ts';
export { visibleKeys } from './loaders.ts';
export { type ApiKeyDefaults, type ApiKeyDocument, apiKeyModel, existingKeys } from './model.ts';
export { grantedScopes, requireKeyScope } from './scopes.ts';
export { deleteUserKeys, ensureUserKey } from './user-keys.ts';
