export { createDefaultProviders, requireFreeSlugs } from './default.ts';
export {
  type NamedWorkspace,
  parseExpiry,
  providerFilter,
  providerNotFound,
  statusFilter,
  statusOf,
} from './find.ts';
export { limitOwner, type ProviderDocument, providerModel } from './model.ts';
