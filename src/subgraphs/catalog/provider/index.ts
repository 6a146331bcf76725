export { createDefaultProviders, requireFreeSlugs } from './default.ts';
export { type NamedWorkspace, parseExpiry, providerFilter, providerNotFound, statusOf } from './find.ts';
export { type ProviderDocument, providerModel } from './model.ts';
