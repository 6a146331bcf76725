export { createDefaultProviders, requireFreeSlugs } from './default.ts';
export { type ProviderDocument, providerModel } from './model.ts';
